import { expect, test } from 'vitest';
import type { Phase } from '#app/features/feed/quadrant/overlays.ts';
import { phaseOf } from '#app/features/feed/quadrant/overlays.ts';
import type { QuadrantActivity, WaitReason } from '#app/features/feed/quadrant/quadrant.ts';
import type { PlayerFacts } from '#app/playback/player/player-facts.ts';
import { restingFacts } from '#app/playback/player/player-facts.ts';

const still: Partial<PlayerFacts> = { hasFrame: true };
const moving: Partial<PlayerFacts> = { hasFrame: true, isPaused: false };

const settled: QuadrantActivity = { kind: 'settled' };
const asking = (after: WaitReason | null): QuadrantActivity => ({ kind: 'asking', for: 'screen', after });
const waiting = (reason: WaitReason): QuadrantActivity => ({ kind: 'waiting', for: 'screen', reason, until: 0 });

const table: Array<[string, QuadrantActivity, Partial<PlayerFacts>, Phase]> = [
  ['nothing asked', settled, {}, 'idle'],
  ['a still before the first tap', settled, still, 'idle'],
  ['a call under way', asking(null), {}, 'loading'],
  ['a call under way behind a moving picture', asking(null), moving, 'loading'],
  ['a video that is not available yet', waiting('downloading'), {}, 'downloading'],
  ['the same, while asking again', asking('downloading'), {}, 'downloading'],
  ['none that plays here', waiting('not-playable'), {}, 'failed'],
  ['a source that waits for a decoder', settled, { isPreparing: true, isResting: true }, 'resting'],
  ['a picture that stands because others have the decoders', settled, { ...moving, isResting: true }, 'resting'],
  ['a source without a picture yet', settled, { isPreparing: true }, 'preparing'],
  ['a source without a picture yet, behind a moving one', settled, { ...moving, isPreparing: true }, 'preparing'],
  ['a moving picture', settled, moving, 'playing'],
  ['a picture out of data', settled, { ...moving, isWaiting: true }, 'buffering'],
  ['a failure', waiting('not-loaded'), {}, 'failed'],
  ['a failure, while asking again', asking('no-videos'), {}, 'failed'],
  ['a refusal to play without a tap', settled, { ...still, isBlocked: true }, 'blocked'],
  ['a refusal beside a failure', waiting('video-error'), { ...still, isBlocked: true }, 'blocked'],
];

test.each(table)('%s', (_, activity, facts, phase) => {
  expect(phaseOf({ activity }, { ...restingFacts, ...facts })).toBe(phase);
});
