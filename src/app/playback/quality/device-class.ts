import { localStore, userAgent } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { deviceClassCookie, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { mediaTypes } from './media-types.ts';

/** What a device remembers of itself until its browser is another one. */
export interface DeviceMemory {
  version: number;
  agent: string;
  plays: DeviceClass;
  /** What did not play although the browser says that it does, … */
  lost: DeviceClass;
  /** … last at this time, in epoch milliseconds. */
  lostAt: number;
}

const key = 'fourfold.plays';
/** Another one where another build detects in another way. */
const version = 1;
const lostMs = 7 * 24 * 60 * 60 * 1000;
const cookieSeconds = 365 * 24 * 60 * 60;

/** Tells the server with every request what this device plays: by a cookie, which page and worker send as well. */
export function announceDeviceClass(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: Chromium 68, and every page without https, has no other way.
  document.cookie = `${deviceClassCookie}=${writeDeviceClass(deviceClass())};path=/;max-age=${cookieSeconds};samesite=lax`;
}

/** What this device plays: as it remembers, or else as its browser says at once. */
export function deviceClass(): DeviceClass {
  const memory = readMemory();
  return memory ? memory.plays & ~memory.lost : detectByTypes();
}

/** Null when nothing is stored, or by another browser. */
export function readMemory(): DeviceMemory | null {
  try {
    const memory: DeviceMemory | null = JSON.parse(localStore()?.getItem(key) ?? 'null');
    if (memory?.version !== version || memory.agent !== userAgent()) return null;
    return Math.abs(now() - memory.lostAt) < lostMs ? memory : { ...memory, lost: 0 };
  } catch {
    return null;
  }
}

/** What cannot be stored is found out again. */
export function storeMemory(memory: Omit<DeviceMemory, 'version' | 'agent'>): void {
  try {
    localStore()?.setItem(key, JSON.stringify({ version, agent: userAgent(), ...memory }));
  } catch {
    return;
  }
}

/** By the types that the browser admits to, and QuickTime. Sizes are not among them: those take asking. */
function detectByTypes(): DeviceClass {
  return mediaTypes.reduce((bits, type, place) => (type && canPlayType(type) ? bits | (1 << place) : bits), 1);
}

/** All media elements say the same; one for sound takes nothing that videos lack. */
export function canPlayType(type: string): boolean {
  return document.createElement('audio').canPlayType(type) !== '';
}
