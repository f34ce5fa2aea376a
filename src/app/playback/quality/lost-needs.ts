import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { listNeeds, toNeedBits, usualClass } from '#contract/rules/media-needs.ts';
import { now } from '#device/timers.ts';
import type { PlayerError } from '../player/source-loading.ts';
import { answersWithVideo } from '../warm-bytes.ts';
import { announceDeviceClass, deviceClass, readMemory, storeMemory } from './device-class.ts';
import type { PlayableVideo } from './playable-video.ts';
import { needsOfPlayed } from './playable-video.ts';
import { refineDeviceClass } from './refine-device-class.ts';

/**
 * Likely causes of a playback failure, the most likely first: a special profile before its codec.
 */
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

/** Errors that mean that this device cannot play the file. */
const capabilityErrors: readonly PlayerError[] = ['unsupported', 'decode', 'no-picture'];

/**
 * Records that a file did not play although the browser claims support: its most suspect need
 * counts as unsupported for a week. Needs that nearly every browser supports are never removed.
 * @returns whether a need was removed
 */
export async function loseNeed(video: PlayableVideo, error: PlayerError | null): Promise<boolean> {
  if (error === null || !capabilityErrors.includes(error)) return false;
  await refineDeviceClass();
  const special = listNeeds(needsOfPlayed(video) & deviceClass() & ~usualClass);
  const lost = suspects.find((need) => special.includes(need));
  // A portal's page or a refusal in place of the file says nothing about the device.
  if (lost === undefined || !(await answersWithVideo(video.url))) return false;
  const { plays, lost: before } = readMemory() ?? { plays: deviceClass(), lost: 0 };
  storeMemory({ plays, lost: before | toNeedBits([lost]), lostAt: now() });
  announceDeviceClass();
  return true;
}
