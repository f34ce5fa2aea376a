import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { leaveFeed, openFeed, returnToFeed } from '#app/features/feed/feed-store.ts';
import { move } from '#app/features/feed/quadrant/move.ts';
import { isApplyingFilter } from '#app/features/feed/quadrant/quadrant.ts';
import { machines, setPinned, skip, skipBack } from '#app/features/feed/quadrant/quadrant-machine.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { clearSavedFilters, hasSavedFilters } from '#app/state/saved-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { quadrants } from '#contract/quadrants.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import { person } from '../../state/people.ts';
import { noneAtAll, picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

const red: QuadrantFilter = { tagIds: ['red'], mode: 'OR' };
const redAndBlue: QuadrantFilter = { tagIds: ['red', 'blue'], mode: 'AND' };
const reds = ['k', 'l', 'm', 'n', 'o', 'p'];

let stage: FeedStage;

beforeEach(() => {
  stage = new FeedStage();
  Object.assign(window, { localStorage: fakeStorage() });
  stage.library.channels = 'away';
  stage.library.taggings = { ...Object.fromEntries(reds.map((id) => [id, ['red']])), p: ['red', 'blue'] };
});

afterEach(() => {
  clearFilters();
  stage.end();
  resetSession();
});

const filterBy = (filter: QuadrantFilter | null) => machines['top-left'].send({ type: 'filter', filter });
const lastAsk = () => stage.library.asksOf('top-left').slice(-1)[0];
const isApplying = () => isApplyingFilter(feed.quadrants['top-left']);

async function showNext(): Promise<void> {
  await stage.arrive();
  stage.screen.show('top-left');
  await stage.arrive();
}

describe('a new filter', () => {
  test('brings a video that matches; the old one stays until its first frame, and what was prepared is dropped', async () => {
    await stage.play();
    const before = stage.summary('top-left');
    expect(before.next).not.toBeNull();
    filterBy(red);
    expect(stage.summary('top-left')).toMatchObject({ shown: before.shown, next: null, past: [], isAsking: true });
    expect(isApplying()).toBe(true);
    expect(lastAsk()).toMatchObject({ tagIds: ['red'], filterMode: 'OR' });
    await showNext();
    expect(reds).toContain(stage.summary('top-left').shown?.id);
    expect(isApplying()).toBe(false);
  });

  test('leaves nothing to skip back to that it did not draw', async () => {
    await stage.play();
    skip('top-left');
    await showNext();
    filterBy(red);
    await showNext();
    const { shown } = stage.summary('top-left');
    skipBack('top-left');
    expect(stage.summary('top-left')).toMatchObject({ shown, coming: null, past: [] });
  });

  test('replaces a call that is open, with all of the channels and its mode', async () => {
    await stage.play();
    filterBy(red);
    const [first] = stage.library.asksOf('top-left').slice(-1);
    filterBy(redAndBlue);
    expect(first?.isAborted()).toBe(true);
    expect(lastAsk()).toMatchObject({ tagIds: ['red', 'blue'], filterMode: 'AND' });
    await showNext();
    expect(stage.summary('top-left').shown?.id).toBe('p');
  });

  test('of nothing draws from all videos again', async () => {
    await stage.play();
    filterBy(red);
    await showNext();
    filterBy(null);
    expect(lastAsk()).toMatchObject({ tagIds: [], filterMode: null });
    await showNext();
    expect(reds).not.toContain(stage.summary('top-left').shown?.id);
  });

  test('takes effect when the pin goes', async () => {
    await stage.play();
    setPinned('top-left', true);
    const asks = stage.library.asksOf('top-left').length;
    const { shown } = stage.summary('top-left');
    filterBy(red);
    await stage.seconds(60);
    expect(stage.summary('top-left').shown).toEqual(shown);
    expect([stage.library.asksOf('top-left').length, isApplying()]).toEqual([asks, false]);
    setPinned('top-left', false);
    expect(isApplying()).toBe(true);
    await showNext();
    expect(reds).toContain(stage.summary('top-left').shown?.id);
  });

  test.each([
    ['before a moved video has come', () => {}],
    ['after it has come', () => stage.screen.show('top-left')],
  ])('takes effect when a pin goes %s', async (_, come) => {
    await stage.play();
    const [, moved] = stage.shownIds();
    move('top-left', 'top-right');
    setPinned('top-left', true);
    filterBy(red);
    come();
    expect(stage.library.asksOf('top-left').filter(({ isOpen }) => isOpen())).toEqual([]);
    expect([stage.summary('top-left').coming?.id, stage.summary('top-left').shown?.id]).toContain(moved);
    setPinned('top-left', false);
    expect(isApplying()).toBe(true);
    await showNext();
    expect(reds).toContain(stage.summary('top-left').shown?.id);
  });

  test('waits while another view is open', async () => {
    await stage.play();
    leaveFeed();
    const asks = stage.library.asksOf('top-left').length;
    filterBy(red);
    expect(stage.library.asksOf('top-left')).toHaveLength(asks);
    returnToFeed();
    expect(lastAsk()).toMatchObject({ tagIds: ['red'] });
  });

  test('that nothing matches is empty, and asked again', async () => {
    await stage.play();
    stage.library.answer = ({ tagIds }) => (tagIds.length > 0 ? noneAtAll : undefined);
    filterBy(red);
    await stage.arrive();
    expect(stage.summary('top-left')).toMatchObject({ failure: 'no-videos' });
    expect(isApplying()).toBe(false);
  });
});

test('a channel of six videos goes round all six, whatever the other quadrants show and have prepared', async () => {
  await stage.play();
  const seen: (string | undefined)[] = [];
  stage.library.answer = ({ quadrant, exclude, tagIds }) => {
    if (quadrant !== 'top-left' || tagIds.length === 0) return undefined;
    const free = reds.filter((id) => !exclude.includes(id));
    return { json: picked(free[seen.length % free.length] ?? '', reds.length, 60, 'red') };
  };
  filterBy(red);
  for (let times = 0; times < 30; times += 1) {
    await showNext();
    seen.push(stage.summary('top-left').shown?.id);
    skip('top-left');
  }
  expect([...new Set(seen)].sort()).toEqual(reds);
  seen.forEach((id, at) => {
    expect(seen.slice(Math.max(0, at - 4), at)).not.toContain(id);
  });
});

describe('saved filters', () => {
  test('are asked with from the first pick on, each for its quadrant, and the page is not used', async () => {
    applyFilter('top-left', red);
    openFeed({
      picks: { answer: new Promise(() => {}), filters: null, abort: vi.fn() },
      videos: {},
      grid: null,
      isTapped: false,
    });
    await stage.arrive();
    expect(stage.library.asks).toMatchObject([{ quadrant: 'top-left', tagIds: ['red'] }]);
  });

  test('that have run out are removed, so that the next start is an ordinary one', async () => {
    applyFilter('top-left', red);
    await stage.seconds(24 * 3_600);
    openFeed();
    expect([lastAsk()?.tagIds, hasSavedFilters()]).toEqual([[], false]);
  });

  test('leave the other quadrants alone', async () => {
    applyFilter('bottom-right', red);
    openFeed();
    await stage.arrive();
    expect(stage.library.asks.slice(0, 4).map(({ quadrant, tagIds }) => [quadrant, tagIds])).toEqual(
      quadrants.map((quadrant) => [quadrant, quadrant === 'bottom-right' ? ['red'] : []]),
    );
  });

  test('go with the session that they belong to, and stay while it is the same', async () => {
    Object.assign(session, { phase: 'known', user: null });
    applyFilter('top-left', red);
    await stage.play();
    Object.assign(session, { user: person() });
    await stage.arrive();
    expect(feed.quadrants['top-left'].filter).toMatchObject(red);
    clearSavedFilters();
    Object.assign(session, { user: null });
    await stage.arrive();
    expect(feed.quadrants['top-left'].filter).toBeNull();
    expect(lastAsk()).toMatchObject({ tagIds: [] });
  });
});
