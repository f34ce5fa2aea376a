import { now } from '#app/platform/timers.ts';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { listNeeds, toNeedBits, usualClass } from '#contract/rules/media-needs.ts';
import type { PlayerError } from '../player/source-loading.ts';
import { announceDeviceClass, deviceClass, readMemory, storeMemory } from './device-class.ts';
import type { PlayableVideo } from './playable-video.ts';
import { needsOfPlayed } from './playable-video.ts';
import { refineDeviceClass } from './refine-device-class.ts';

/** What is the most to blame for a file that does not play, first: a special form before its codec. */
const suspects: readonly MediaNeed[] = [
  'hevc-10-bit',
  'av1-10-bit',
  'vp9-10-bit',
  'avc-4:4:4',
  'avc-4:2:2',
  'avc-10-bit',
  'hevc',
  'av1',
  'over-2160-lines',
  'over-1080-lines',
  'matroska',
];

/** Errors that say of a file that this device does not play it. */
const capabilityErrors: readonly PlayerError[] = ['unsupported', 'decode', 'no-picture'];

/**
 * A file did not play although the browser says that it does: what stands out of it counts as not played for a week.
 * What nearly every browser plays is never taken away. @returns whether anything was
 */
export async function loseNeed(video: PlayableVideo, error: PlayerError | null): Promise<boolean> {
  if (error === null || !capabilityErrors.includes(error)) return false;
  await refineDeviceClass();
  const special = listNeeds(needsOfPlayed(video) & deviceClass() & ~usualClass);
  const lost = suspects.find((need) => special.includes(need));
  if (lost === undefined) return false;
  const { plays, lost: before } = readMemory() ?? { plays: deviceClass(), lost: 0 };
  storeMemory({ plays, lost: before | toNeedBits([lost]), lostAt: now() });
  announceDeviceClass();
  return true;
}
