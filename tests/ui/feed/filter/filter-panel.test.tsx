import { act } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  closeQuadrantMenu,
  controls,
  enterControls,
  hideControls,
  openQuadrantMenu,
  quadrantMenu,
} from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { dropVanishedTags } from '#app/features/feed/filter/vanished-channels.ts';
import { machines, setPinned } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { formChanged } from '#app/platform/input/screen-form.ts';
import { watchRemote } from '#app/shell/remote.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { readSavedFilters } from '#app/state/saved-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { channel, FakeLibrary, noneAtAll } from '#tests/unit/app/feed/fake-library.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { button, press, settle } from '../../draw.tsx';
import { focusedName, pressKey, type } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';

const names = ['Aurora', 'Cities', 'Drone', 'Ocean', 'Sunset', 'Timelapse'];

let library: FakeLibrary;

withRemote(watchRemote);

beforeEach(async () => {
  vi.useFakeTimers();
  library = new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  library.channels = names.map((name, at) => channel(name, at + 10));
  library.taggings = { f: ['id-ocean'] };
  await drawPlayingFeed();
  await loaded();
});

afterEach(async () => {
  await settle(() => {
    closeQuadrantMenu();
    hideControls();
    resetFeed();
  });
  clearFilters();
  Object.assign(document.documentElement.dataset, { form: 'desktop' });
  delete document.documentElement.dataset.input;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const loaded = async () => {
  await act(() => vi.dynamicImportSettled());
  await act(() => vi.advanceTimersByTimeAsync(0));
};
const filterOf = (...chosen: string[]): QuadrantFilter => ({
  tagIds: chosen.map((name) => `id-${name.toLowerCase()}`),
  mode: 'OR',
  labels: chosen.map((name) => ({ id: `id-${name.toLowerCase()}`, name, color: '#3B82F6' })),
});
const filterBy = async (filter: QuadrantFilter) => {
  await settle(() => applyFilter('top-left', filter));
  await loaded();
};
const section = () => document.querySelector('[data-quadrant="top-left"]') as HTMLElement;
const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]');
const boxes = () => [...document.querySelectorAll<HTMLInputElement>('[role="dialog"] input[type="checkbox"]')];
const rows = () => boxes().map((box) => `${box.getAttribute('aria-label')}${box.checked ? ' x' : ''}`);
const choose = (name: string) =>
  settle(() =>
    boxes()
      .find((box) => box.getAttribute('aria-label') === name)
      ?.click(),
  );
const ownFilter = () => feed.quadrants['top-left'].filter;
const filterButton = () => section().querySelector<HTMLButtonElement>('button[title="Filter"]');

const barWords = () =>
  [filterButton(), ...(filterButton()?.nextElementSibling?.children ?? [])].map((one) => one?.textContent);

async function open(): Promise<void> {
  await settle(() => filterButton()?.focus());
  await settle(() => filterButton()?.click());
  await loaded();
}

test('the button opens the popup of its quadrant, with the channels by name and how many videos each has', async () => {
  await open();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Filter Content');
  expect(rows()).toEqual(names);
  expect(boxes()[3]?.closest('label')?.textContent).toBe('Ocean13');
  expect(['Clear All', 'Cancel', 'Any channel', 'All channels'].map((name) => button(name).disabled)).toEqual(
    Array(4).fill(false),
  );
  expect(button('Apply (0)').disabled).toBe(true);
});

test('the number of videos has a separator from a thousand on', async () => {
  library.channels = [channel('Aurora', 1500)];
  await open();
  expect(boxes()[0]?.closest('label')?.textContent).toBe('Aurora1,500');
});

test('choosing changes nothing until Apply, which says so until the pick is answered, and closes', async () => {
  await open();
  await choose('Ocean');
  await choose('Sunset');
  await press('All channels');
  expect([ownFilter(), button('All channels').getAttribute('aria-pressed')]).toEqual([null, 'true']);
  library.hold();
  await press('Apply (2)');
  expect(ownFilter()).toEqual({ ...filterOf('Ocean', 'Sunset'), mode: 'AND' });
  expect(button('Applying...').disabled).toBe(true);
  expect(library.asksOf('top-left').slice(-1)).toMatchObject([
    { tagIds: ['id-ocean', 'id-sunset'], filterMode: 'AND' },
  ]);
  library.letGo();
  await loaded();
  expect(quadrantMenu.of).toBeNull();
  expect(readSavedFilters()['top-left']).toMatchObject({ filterMode: 'AND' });
});

test('while a filter is applied the quadrant says so, before all else', async () => {
  library.hold();
  await filterBy(filterOf('Ocean'));
  await act(() => vi.advanceTimersByTimeAsync(400));
  expect(section().querySelector('[role="status"]')?.textContent).toBe('Applying filters...');
});

test('a filter that could not be asked for says so', async () => {
  library.answer = () => 'away';
  await filterBy(filterOf('Ocean'));
  expect(section().querySelector('[role="status"]')?.textContent).toBe('Failed to apply filters');
});

test('nothing that matches offers to clear the filter; an empty library does not', async () => {
  library.answer = () => noneAtAll;
  await filterBy(filterOf('Ocean'));
  expect(section().textContent).toContain('No videos yet');
  library.answer = null;
  await press('Clear filter');
  await loaded();
  expect([ownFilter(), readSavedFilters()]).toEqual([null, {}]);
  library.answer = () => noneAtAll;
  await settle(() => machines['top-left'].send({ type: 'skip' }));
  await loaded();
  expect(section().textContent).toContain('No videos yet');
  expect(section().textContent).not.toContain('Clear filter');
});

test('a pinned quadrant closes at once, and is filtered when the pin goes', async () => {
  await settle(() => setPinned('top-left', true));
  await open();
  await choose('Ocean');
  await press('Apply (1)');
  expect(quadrantMenu.of).toBeNull();
  expect(library.asksOf('top-left').slice(-1)).toMatchObject([{ tagIds: [] }]);
  await settle(() => setPinned('top-left', false));
  expect(library.asksOf('top-left').slice(-1)).toMatchObject([{ tagIds: ['id-ocean'] }]);
});

test('the chosen rows stand first, and stay where they are while the popup is open', async () => {
  await filterBy(filterOf('Sunset', 'Drone'));
  await open();
  expect(rows()).toEqual(['Drone x', 'Sunset x', 'Aurora', 'Cities', 'Ocean', 'Timelapse']);
  await choose('Drone');
  await choose('Ocean');
  expect(rows()).toEqual(['Drone', 'Sunset x', 'Aurora', 'Cities', 'Ocean x', 'Timelapse']);
});

test('the search leaves what it matches, without another question where all channels are there', async () => {
  await open();
  await settle(() => document.querySelector<HTMLInputElement>('[placeholder="Search channels..."]')?.focus());
  await type('s');
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(rows()).toEqual(['Cities', 'Sunset', 'Timelapse']);
  await type('nothing of the kind');
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(dialog()?.textContent).toContain('No channels match your search');
  expect(library.searches).toEqual(['']);
});

test('beyond the first hundred the server searches', async () => {
  library.channels = Array.from({ length: 250 }, (_, at) => channel(`Channel ${String(at).padStart(3, '0')}`));
  await open();
  expect(rows()).toHaveLength(100);
  await settle(() => document.querySelector<HTMLInputElement>('[placeholder="Search channels..."]')?.focus());
  await type('249');
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(rows()).toEqual(['Channel 249']);
  expect(library.searches).toEqual(['', '249']);
});

test('without channels the list says so', async () => {
  library.channels = [];
  await open();
  expect(dialog()?.textContent).toContain('No channels available');
});

test('a list that could not be loaded says why, and is asked for again', async () => {
  library.channels = 'failing';
  await open();
  expect(dialog()?.textContent).toContain('Failed to load channels: Something went wrong');
  library.channels = [channel('Ocean')];
  await press('Retry');
  await loaded();
  expect(rows()).toEqual(['Ocean']);
});

test('without a network what is chosen can still be left out, and the rest comes with the network', async () => {
  library.channels = 'away';
  await filterBy(filterOf('Sunset', 'Drone'));
  await open();
  expect(rows()).toEqual(['Drone x', 'Sunset x']);
  await choose('Drone');
  await press('Apply (1)');
  expect(ownFilter()).toEqual(filterOf('Sunset'));
});

test('without a network the stored channels can be chosen, and say when they were listed', async () => {
  library.channelsCachedAt = Date.now() - 12 * 60_000;
  await filterBy(filterOf('Sunset', 'New'));
  await open();
  expect(dialog()?.querySelector('[role="status"]')?.textContent).toBe('Waiting for network. Listed 12 minutes ago.');
  expect(rows()).toEqual(['New x', 'Sunset x', 'Aurora', 'Cities', 'Drone', 'Ocean', 'Timelapse']);
  await choose('Ocean');
  await press('Apply (3)');
  expect(ownFilter()).toEqual(filterOf('Sunset', 'New', 'Ocean'));
});

test('Clear All empties the filter at once, and closes', async () => {
  await filterBy(filterOf('Sunset'));
  await open();
  await press('Clear All');
  expect([ownFilter(), quadrantMenu.of, readSavedFilters()]).toEqual([null, null, {}]);
});

test.each<[string, () => unknown]>([
  ['Cancel', () => press('Cancel')],
  ['Escape', () => pressKey('Escape')],
  ['Back', () => settle(() => backStack().goBack())],
  ['a press beside it', () => settle(() => document.querySelector<HTMLElement>('[class*="outside"]')?.click())],
])('%s closes it alone, without a change, and gives the focus back to the button', async (_, close) => {
  await settle(() => enterControls('top-left'));
  await open();
  await choose('Ocean');
  await close();
  expect([quadrantMenu.of, ownFilter(), controls.entered]).toEqual([null, null, 'top-left']);
  expect(document.activeElement).toBe(filterButton());
});

describe('the head of the sheet', () => {
  const head = () => dialog()?.querySelector('h2')?.parentElement;
  const transform = () => dialog()?.style.transform;
  const point = (type: string, clientY: number) => {
    const finger = { pointerType: 'touch', pointerId: 1, buttons: type === 'pointerup' ? 0 : 1 };
    const event = new PointerEvent(type, { ...finger, clientX: 200, clientY, bubbles: true });
    return settle(() => void head()?.dispatchEvent(event));
  };
  /** Slowly: a quick one is a swipe. The first 10 pixels could still be a press. */
  const dragBy = async (distance: number) => {
    await point('pointerdown', 200);
    await point('pointermove', 200 + distance / 2);
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    await point('pointermove', 200 + distance);
  };

  beforeEach(async () => {
    vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(max-width: 899px)' }));
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
    await open();
    await choose('Ocean');
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('drags it along, and lets it close below a third of its height, without a change', async () => {
    await dragBy(10 + 201);
    expect(transform()).toBe('translateY(201px)');
    await point('pointerup', 200 + 10 + 201);
    expect([quadrantMenu.of, ownFilter()]).toEqual([null, null]);
  });

  test.each<[string, number, string]>([
    ['a drag that ends above it', 10 + 199, 'pointerup'],
    ['a drag that the system takes away', 500, 'pointercancel'],
    ['a drag upwards', -300, 'pointerup'],
  ])('%s leaves it open at its place, with what was chosen', async (_, distance, end) => {
    await dragBy(distance);
    await point(end, 200 + distance);
    expect([quadrantMenu.of, transform(), rows().filter((row) => row.endsWith(' x'))]).toEqual([
      'top-left',
      '',
      ['Ocean x'],
    ]);
  });

  test('closes it by a swipe down', async () => {
    await point('pointerdown', 200);
    await point('pointermove', 230);
    await point('pointermove', 290);
    await point('pointerup', 290);
    expect(quadrantMenu.of).toBeNull();
  });

  test('drags nothing where it is a popup', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: false }));
    await dragBy(500);
    expect(transform()).toBe('');
    await point('pointerup', 700);
    expect(quadrantMenu.of).toBe('top-left');
  });
});

test('with a remote the focus enters the panel and moves by arrows, and OK ticks a row', async () => {
  Object.assign(document.documentElement.dataset, { form: 'tv', input: 'remote' });
  await settle(() => enterControls('top-left'));
  await open();
  expect(focusedName()).toBe('Any channel');
  await pressKey('ArrowDown');
  await pressKey('ArrowDown');
  expect(focusedName()).toBe('Aurora');
  await pressKey('Enter');
  expect(rows()[0]).toBe('Aurora x');
});

test('while it is open the controls stay, and the keys of the feed rest', async () => {
  await open();
  await pressKey('z');
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect([feed.quadrants['top-left'].pinned, controls.active]).toEqual([null, 'top-left']);
});

test('the button counts the active channels, and three chips and one for the rest name them', async () => {
  expect(filterButton()?.getAttribute('aria-label')).toBe('Filter');
  await filterBy(filterOf('Ocean', 'Sunset', 'Drone', 'Timelapse', 'Aurora'));
  expect(filterButton()?.getAttribute('aria-label')).toBe('Filter (5 active)');
  expect(barWords()).toEqual(['5', 'Ocean', 'Sunset', 'Drone', '+2']);
});

test.each([
  ['sideways has room for two', true, ['3', 'Ocean', 'Sunset', '+1']],
  ['upright has room for the count alone', false, ['3']],
])('a phone held %s', async (_, isSideways, words) => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes('landscape') === isSideways }));
  document.documentElement.dataset.form = 'phone';
  await settle(() => formChanged.emit());
  await filterBy(filterOf('Ocean', 'Sunset', 'Drone'));
  expect(barWords()).toEqual(words);
});

test('a channel that no longer exists is dropped when all channels are known', async () => {
  await filterBy(filterOf('Ocean', 'Gone'));
  await open();
  expect(rows()).toEqual(['Ocean x', ...names.filter((name) => name !== 'Ocean')]);
  expect(button('Apply (1)').disabled).toBe(false);
});

test('more channels than a filter can hold are refused', async () => {
  const many = Array.from({ length: 201 }, (_, at) => `C${at}`);
  library.channels = 'away';
  await filterBy(filterOf(...many));
  await settle(() => openQuadrantMenu('top-left', 'filter'));
  await loaded();
  expect(dialog()?.querySelector('[role="alert"]')?.textContent).toBe('A filter can hold at most 200 channels');
  expect(button('Apply (201)').disabled).toBe(true);
});

describe('sets above the channels', () => {
  const sets = () =>
    [...document.querySelectorAll('[aria-label="Favourites, shape and length"] button')].map(
      (one) => `${one.textContent}${one.getAttribute('aria-pressed') === 'true' ? ' x' : ''}`,
    );

  afterEach(() => settle(resetSession));

  test('limit a quadrant by length and shape, of which one each is chosen, with and without channels', async () => {
    await open();
    expect(sets()).toEqual(['Upright', 'Wide', 'Short', 'Medium', 'Long']);
    for (const name of ['Short', 'Upright', 'Long']) await press(name);
    expect(sets()).toEqual(['Upright x', 'Wide', 'Short', 'Medium', 'Long x']);
    await press('Apply (2)');
    await loaded();
    expect(library.asksOf('top-left').slice(-1)[0]?.tagIds.sort()).toEqual(['is:long', 'is:upright']);
    expect(barWords().slice(1).sort()).toEqual(['Long', 'Upright']);
    await open();
    await press('Upright');
    await choose('Ocean');
    await press('Apply (2)');
    await loaded();
    expect(library.asksOf('top-left').slice(-1)[0]?.tagIds.sort()).toEqual(['id-ocean', 'is:long']);
    await open();
    expect(rows()[0]).toBe('Ocean x');
    await press('Clear All');
    expect(ownFilter()).toBeNull();
  });

  test('hold the favourites of whoever is signed in', async () => {
    await settle(() => Object.assign(session, { phase: 'known', user: person('basic') }));
    await open();
    expect(sets()[0]).toBe('Favourites');
    await press('Favourites');
    await press('Apply (1)');
    await loaded();
    expect(library.asksOf('top-left').slice(-1)[0]?.tagIds).toEqual(['is:favourite']);
  });

  test('stay in a filter when a channel beside them is gone', async () => {
    await filterBy({ ...filterOf('Ocean', 'Gone'), tagIds: ['is:wide', 'id-ocean', 'id-gone'] });
    await settle(() => dropVanishedTags('top-left', [channel('Ocean')]));
    expect(ownFilter()?.tagIds).toEqual(['is:wide', 'id-ocean']);
  });
});
