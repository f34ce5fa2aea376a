import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeQuadrantMenu, hideControls, openQuadrantMenu } from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { watchRounds } from '#app/features/feed/rounds.tsx';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import { watchedForgotten } from '#app/state/watched-log.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';

let stop: () => void;
let number: number;

beforeEach(async () => {
  vi.useFakeTimers();
  layOut();
  new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  number = 0;
  Object.assign(session, { phase: 'known', user: null });
  await drawPlayingFeed();
  stop = watchRounds();
  await settle(() => changeSettings({ areStatisticsShown: true }));
  await loaded();
});

afterEach(async () => {
  stop();
  await settle(() => {
    closeQuadrantMenu();
    hideControls();
    resetFeed();
    resetSession();
    resetSiteConfig();
    clearFilters();
    changeSettings({ areStatisticsShown: false, shuffle: 'once' });
    shownVideos.untold = [];
  });
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const loaded = async () => {
  await act(() => vi.dynamicImportSettled());
  await act(() => vi.advanceTimersByTimeAsync(0));
};

/** Another video comes to the screen, of whose filter so many had not been shown at its pick. */
async function show(unseen: number | undefined, matching = 8, quadrant: Quadrant = 'top-left'): Promise<void> {
  number += 1;
  await settle(() => {
    feed.quadrants[quadrant].shown = feedVideo(`video-${number}`, { matching, unseen });
  });
}

/** Four stills, whose picks went out together. */
async function showFour(matching = 8): Promise<void> {
  for (const quadrant of quadrants) await show(matching, matching, quadrant);
}

const panel = () => document.querySelector('[aria-label="Statistics"]');
const linesOf = (part: Element | null) =>
  [...(part?.querySelectorAll('p') ?? [])]
    .map(({ textContent }) => textContent ?? '')
    .filter((text) => /not shown yet|come again/.test(text));
const lines = () => linesOf(panel());

test('the statistics say how many of a filter have not been shown, by all quadrants together', async () => {
  await showFour(500);
  expect(lines()).toEqual(['496 of 500 not shown yet']);
  await show(432, 500);
  expect(lines()).toEqual(['431 of 500 not shown yet']);
});

test('the filter panel says it of its quadrant', async () => {
  await showFour();
  await settle(() => applyFilter('top-left', { tagIds: ['cats'], mode: 'OR', labels: [] }));
  await loaded();
  await show(20, 20);
  expect(lines()).toEqual(['19 of 20 not shown yet', '4 of 8 not shown yet']);
  await settle(() => openQuadrantMenu('top-right', 'filter'));
  await loaded();
  expect(linesOf(document.querySelector('[role="dialog"]'))).toEqual(['4 of 8 not shown yet']);
});

test('as a round begins again, that is said for six seconds, also to screen readers', async () => {
  await showFour();
  for (const unseen of [4, 3, 2, 1]) await show(unseen);
  expect(lines()).toEqual(['0 of 8 not shown yet']);
  await show(8);
  expect(lines()).toEqual(['All 8 were shown. They come again.']);
  expect(document.querySelector('[aria-label="Statistics"] [aria-live="polite"]')?.textContent).toBe(lines()[0]);
  await show(8, 8, 'top-right');
  await act(() => vi.advanceTimersByTimeAsync(5_900));
  expect(lines()).toEqual(['All 8 were shown. They come again.']);
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(lines()).toEqual(['6 of 8 not shown yet']);
});

test('the first round begins without a word, and so does one that another device has ended', async () => {
  await showFour();
  expect(lines()).toEqual(['4 of 8 not shown yet']);
  await show(300, 500);
  await show(500, 500);
  expect(lines()).toEqual(['499 of 500 not shown yet']);
  await show(60, 500);
  await show(480, 500);
  expect(lines()).toEqual(['479 of 500 not shown yet']);
});

test('what comes back by skip back, or from another quadrant, is not counted again', async () => {
  await showFour(500);
  const { shown } = feed.quadrants['top-left'];
  await show(496, 500);
  await settle(() => {
    feed.quadrants['top-left'].shown = shown;
  });
  await show(undefined, 500, 'bottom-left');
  expect(lines()).toEqual(['495 of 500 not shown yet']);
});

test('after everything was forgotten, and for another viewer, the count begins anew', async () => {
  await showFour();
  await show(1);
  watchedForgotten.emit();
  await settle();
  expect(lines()).toEqual([]);
  await show(8);
  expect(lines()).toEqual(['7 of 8 not shown yet']);
  await settle(() => Object.assign(session, { user: person() }));
  expect(lines()).toEqual([]);
});

test('where draws are purely random, or the site does not remember, nothing is said', async () => {
  await showFour();
  await settle(() => {
    settings.shuffle = 'random';
  });
  expect(lines()).toEqual([]);
  await settle(() => {
    settings.shuffle = 'once';
  });
  expect(lines()).toHaveLength(1);
  await settle(() => {
    siteConfig.remembersWatched = false;
  });
  expect(lines()).toEqual([]);
});
