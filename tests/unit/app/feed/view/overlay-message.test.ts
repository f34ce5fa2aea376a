import { expect, test } from 'vitest';
import type { Phase } from '#app/features/feed/quadrant/overlays.ts';
import { overlayMessage, phaseOf } from '#app/features/feed/quadrant/overlays.ts';
import type { Failure, QuadrantActivity, WaitReason } from '#app/features/feed/quadrant/quadrant.ts';
import { failureOf } from '#app/features/feed/quadrant/quadrant.ts';
import { restingFacts } from '#app/playback/player/player-facts.ts';

const words: Array<[Phase, Failure | null, object | null]> = [
  ['idle', null, null],
  ['playing', null, null],
  ['blocked', null, { kind: 'tap', text: 'Tap to play' }],
  ['downloading', null, { kind: 'wait', text: 'Downloading video...', progress: null }],
  ['loading', null, { kind: 'wait', text: 'Loading video...' }],
  ['preparing', null, { kind: 'wait', text: 'Preparing video...' }],
  ['resting', null, null],
  ['buffering', null, { kind: 'wait', text: 'Buffering...' }],
  ['failed', 'no-videos', { kind: 'no-videos' }],
  ['failed', 'no-data', { kind: 'error', text: 'No video data received' }],
  ['failed', 'no-network', { kind: 'wait', text: 'Waiting for network' }],
  ['failed', 'not-loaded', { kind: 'error', text: 'Failed to load video' }],
  ['failed', 'video-error', { kind: 'error', text: 'Video error - loading next...' }],
];

test.each(words)('a quadrant that is %s (%s) says its sentence', (phase, failure, message) => {
  expect(overlayMessage({ phase, failure })).toEqual(message);
});

test.each([
  ['queued', null],
  ['running', 40],
] as const)('a video that is made playable (%s) says how far it is: %j', (state, progress) => {
  const delay = { reason: 'On its way', processing: { state, progress: 40 } };
  expect(overlayMessage({ phase: 'downloading', failure: null, delay })).toEqual({
    kind: 'wait',
    text: 'Downloading video...',
    progress,
  });
});

test.each([
  ['nothing is done about it', null],
  ['what was done has failed', { state: 'failed', progress: 40 } as const],
])('why no video can be played is said at once where %s, also under a new filter', (_, processing) => {
  const delay = { reason: 'This file is empty.', processing };
  for (const isFilterPending of [false, true])
    expect(overlayMessage({ phase: 'failed', failure: 'not-playable', delay, isFilterPending })).toEqual({
      kind: 'error',
      text: 'This file is empty.',
    });
});

test('of everything at once, what is most urgent is said first', () => {
  const asking = (after: WaitReason | null): QuadrantActivity => ({ kind: 'asking', for: 'screen', after });
  const state = { activity: asking('not-loaded') };
  const facts = {
    ...restingFacts,
    hasFrame: true,
    isPaused: false,
    isBlocked: true,
    isPreparing: true,
    isWaiting: true,
  };
  const said: unknown[] = [];
  const say = (isApplyingFilters = false) => {
    const message = overlayMessage({ phase: phaseOf(state, facts), failure: failureOf(state), isApplyingFilters });
    said.push(message && 'text' in message ? message.text : message);
  };

  say(true);
  say();
  facts.isBlocked = false;
  say();
  state.activity = asking('downloading');
  say();
  state.activity = asking(null);
  say();
  state.activity = { kind: 'settled' };
  say();
  facts.isPreparing = false;
  say();
  facts.isWaiting = false;
  say();

  expect(said).toEqual([
    'Applying filters...',
    'Tap to play',
    'Failed to load video',
    'Downloading video...',
    'Loading video...',
    'Preparing video...',
    'Buffering...',
    null,
  ]);
});

test('an empty quadrant knows that its filter is the reason', () => {
  expect(overlayMessage({ phase: 'failed', failure: 'no-videos', isFiltered: true })).toEqual({
    kind: 'no-videos',
    isFiltered: true,
  });
});

test.each(['no-data', 'no-network', 'not-loaded'] as const)(
  'a new filter that brings %s could not be applied',
  (failure) => {
    expect(overlayMessage({ phase: 'failed', failure, isFilterPending: true })).toEqual({
      kind: 'error',
      text: 'Failed to apply filters',
    });
  },
);

test('a broken video is told as such, also under a new filter', () => {
  expect(overlayMessage({ phase: 'failed', failure: 'video-error', isFilterPending: true })).toEqual({
    kind: 'error',
    text: 'Video error - loading next...',
  });
});
