import { expect, test } from 'vitest';
import type { Phase } from '#app/features/feed/quadrant/phase.ts';
import { phaseOf } from '#app/features/feed/quadrant/phase.ts';
import type { QuadrantRequest } from '#app/features/feed/quadrant/quadrant-request.ts';
import { initialRequest } from '#app/features/feed/quadrant/quadrant-request.ts';
import type { PlayerFacts } from '#app/playback/player/player-facts.ts';
import { restingFacts } from '#app/playback/player/player-facts.ts';

const still: Partial<PlayerFacts> = { hasFrame: true };
const moving: Partial<PlayerFacts> = { hasFrame: true, isPaused: false };

const table: Array<[string, Partial<QuadrantRequest>, Partial<PlayerFacts>, Phase]> = [
  ['nothing asked', {}, {}, 'idle'],
  ['a still before the first tap', {}, still, 'idle'],
  ['a call under way', { isAsking: true }, {}, 'loading'],
  ['a call under way behind a moving picture', { isAsking: true }, moving, 'loading'],
  ['a video that is not available yet', { isDownloading: true }, {}, 'downloading'],
  ['the same, while asking again', { isDownloading: true, isAsking: true }, {}, 'downloading'],
  ['a source without a picture yet', {}, { isPreparing: true }, 'preparing'],
  ['a source without a picture yet, behind a moving one', {}, { ...moving, isPreparing: true }, 'preparing'],
  ['a moving picture', {}, moving, 'playing'],
  ['a picture out of data', {}, { ...moving, isWaiting: true }, 'buffering'],
  ['a failure', { failure: 'not-loaded' }, {}, 'failed'],
  ['a failure, while asking again', { failure: 'no-videos', isAsking: true }, {}, 'failed'],
  ['a refusal to play without a tap', {}, { ...still, isBlocked: true }, 'blocked'],
  ['a refusal beside a failure', { failure: 'video-error' }, { ...still, isBlocked: true }, 'blocked'],
];

test.each(table)('%s', (_, request, facts, phase) => {
  expect(phaseOf({ ...initialRequest(), ...request }, { ...restingFacts, ...facts })).toBe(phase);
});
