import { localStore, userAgent } from '#app/platform/capabilities.ts';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { deviceClassCookie, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { now } from '#device/timers.ts';

/** The stored capabilities of a device; they are valid for one browser version. */
interface DeviceMemory {
  version: number;
  agent: string;
  plays: DeviceClass;
  /** Needs that failed to play although the browser claims support. */
  lost: DeviceClass;
  /** Time of the last such failure, in epoch milliseconds. */
  lostAt: number;
}

const key = 'fourfold.plays';
/** Must be increased when the detection changes. */
const version = 1;
const lostMs = 7 * 24 * 60 * 60 * 1000;
const cookieSeconds = 365 * 24 * 60 * 60;

/**
 * Tells the server which media this device plays: in a cookie, which page and service worker send
 * with every request.
 */
export function announceDeviceClass(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: Chromium 68, and every page without https, has no other way.
  document.cookie = `${deviceClassCookie}=${writeDeviceClass(deviceClass())};path=/;max-age=${cookieSeconds};samesite=lax`;
}

/** The media this device plays: as stored, or else by a quick query of the browser. */
export function deviceClass(): DeviceClass {
  const memory = readMemory();
  return memory ? memory.plays & ~memory.lost : detectByTypes();
}

/** Returns null when nothing is stored, or another browser stored it. */
export function readMemory(): DeviceMemory | null {
  try {
    const memory: DeviceMemory | null = JSON.parse(localStore()?.getItem(key) ?? 'null');
    if (memory?.version !== version || memory.agent !== userAgent()) return null;
    return Math.abs(now() - memory.lostAt) < lostMs ? memory : { ...memory, lost: 0 };
  } catch {
    return null;
  }
}

/** Storage errors are ignored: the device is queried again. */
export function storeMemory(memory: Omit<DeviceMemory, 'version' | 'agent'>): void {
  try {
    localStore()?.setItem(key, JSON.stringify({ version, agent: userAgent(), ...memory }));
  } catch {
    return;
  }
}

/**
 * Detects by the types that `canPlayType` accepts, plus QuickTime. Sizes need an asynchronous
 * query.
 */
function detectByTypes(): DeviceClass {
  return mediaTypes.reduce((bits, type, place) => (type && canPlayType(type) ? bits | (1 << place) : bits), 1);
}

/** All media elements answer alike; an audio element allocates no video resources. */
export function canPlayType(type: string): boolean {
  return document.createElement('audio').canPlayType(type) !== '';
}

const inMp4 = (codecs: string) => `video/mp4; codecs="${codecs}"`;
const inWebm = (codecs: string) => `video/webm; codecs="${codecs}"`;

/**
 * The MIME type to query for each need, at the index of that need in `mediaNeeds`. It is empty for
 * sizes, for a container that no Chromium claims to support, and for sound that none plays. Levels
 * are those of 1080 lines at 30 frames per second. RFC 6381
 */
export const mediaTypes: readonly string[] = [
  '',
  'video/x-matroska',
  'video/webm',
  inMp4('avc1.6e0028'),
  inMp4('avc1.7a0028'),
  inMp4('avc1.f40028'),
  inMp4('hvc1.1.6.L120.B0'),
  inMp4('hvc1.2.4.L120.B0'),
  inWebm('vp8'),
  inWebm('vp09.00.40.08'),
  inWebm('vp09.02.40.10'),
  inMp4('av01.0.08M.08'),
  inMp4('av01.0.08M.10'),
  '',
  '',
  inWebm('opus'),
  inWebm('vorbis'),
  inMp4('flac'),
  inMp4('alac'),
  inMp4('ac-3'),
  inMp4('ec-3'),
  inMp4('dtsc'),
  'audio/wav; codecs="1"',
  '',
];
