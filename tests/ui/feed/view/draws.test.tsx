import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdControls, releaseControls, showControls } from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { changeSettings } from '#app/state/settings.ts';
import { countCalls } from '#tests/support/count-calls.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { settle } from '../../draw.tsx';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';

const state = feed.quadrants['top-left'];
const facts = playerFacts['top-left'];

beforeEach(() => {
  vi.useFakeTimers();
  // An answer would change the feed while draws are counted.
  vi.stubGlobal('fetch', () => new Promise(() => {}));
});

afterEach(async () => {
  await settle(resetFeed);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Four videos play, and all parts of the feed are loaded. */
async function drawFeed(): Promise<void> {
  await drawPlayingFeed();
  await act(() => vi.dynamicImportSettled());
  await settle(() => {
    for (const quadrant of Object.values(playerFacts)) Object.assign(quadrant, { hasFrame: true, isPaused: false });
  });
}

const parts = ['FilterBar', 'DragHandle', 'ControlRow', 'TransportControls', 'SoundControls'];

test('a video that is prepared in the background draws nothing', async () => {
  await drawFeed();
  const calls = await countCalls(async () => {
    await settle(() => Object.assign(state, { activity: { kind: 'asking', for: 'later' } }));
    await settle(() => Object.assign(state, { activity: { kind: 'settled' }, next: feedVideo('next') }));
    await settle(() => Object.assign(facts, { isNextReady: true }));
  });
  expect(['QuadrantView', ...parts].map(calls)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('a skip draws its quadrant when it begins and when the next video is shown, and none of its buttons', async () => {
  await drawFeed();
  Object.assign(state, { past: [feedVideo('past')] });
  await settle();
  const calls = await countCalls(async () => {
    const video = feedVideo('next');
    await settle(() => {
      Object.assign(state, { activity: { kind: 'coming', video, at: 0, back: false } });
      Object.assign(facts, { isPreparing: true });
    });
    await settle(() => {
      Object.assign(state, { activity: { kind: 'settled' }, shown: video, past: [state.shown, ...state.past] });
      Object.assign(facts, { isPreparing: false });
    });
  });
  expect(['QuadrantView', ...parts].map(calls)).toEqual([2, 0, 0, 0, 0, 0]);
});

test('a focus that moves draws the frames of two quadrants, and nothing in them', async () => {
  await drawFeed();
  const calls = await countCalls(() => settle(() => showControls('top-right', 'key')));
  expect(['QuadrantView', 'QuadrantControls', 'QuadrantContent', 'ProgressLine', ...parts].map(calls)).toEqual([
    2, 2, 0, 0, 0, 0, 0, 0, 0,
  ]);
});

test('ten seconds of four playing videos, with controls and statistics on screen, draw at most twice a second', async () => {
  await drawFeed();
  await settle(() => changeSettings({ areStatisticsShown: true }));
  await act(() => vi.dynamicImportSettled());
  await settle(() => {
    showControls('top-left', 'pointer');
    holdControls();
  });
  const time = () =>
    document.querySelector('[data-quadrant=top-left] [aria-label=Seek]')?.getAttribute('aria-valuetext');
  let seconds = 0;
  vi.spyOn(playerOf('top-left'), 'position', 'get').mockImplementation(() => seconds);
  vi.spyOn(playerOf('top-left'), 'duration', 'get').mockReturnValue(60);
  const calls = await countCalls(async () => {
    for (let quarter = 1; quarter <= 40; quarter += 1)
      await settle(() => {
        vi.advanceTimersByTime(250);
        seconds = quarter / 4;
        for (const video of document.querySelectorAll('video')) video.dispatchEvent(new Event('timeupdate'));
      });
  });
  expect(time()).toBe('0:10 / 1:00');
  const drawn = [
    'FeedScreen',
    'QuadrantView',
    'QuadrantContent',
    'QuadrantControls',
    'ProgressLine',
    'Poster',
    'Banner',
  ];
  const all = [...drawn, ...parts, 'StatisticsPanel', 'SeekPreview', 'Touched', 'FewAtOnce', 'ControlButton', 'Slider'];
  expect(all.map(calls).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(20);
  releaseControls();
  changeSettings({ areStatisticsShown: false });
});
