import { act } from 'react';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { resetBrowsing } from '#app/features/videos/browse-store.ts';
import { VideosScreen } from '#app/features/videos/videos-screen.tsx';
import { resetNavigation } from '#app/state/navigation.ts';
import { discardAllChanges } from '#app/state/outbox/outbox-actions.ts';
import { resetSession, session } from '#app/state/session.ts';
import { favourites, loadFavourites, toggleFavourite } from '#app/state/video-sets.ts';
import type { Video } from '#contract/entities/video.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { giveMedia } from '../ui/media/media-element.ts';
import { channel, video } from './library.ts';

const cities = channel('c', 'Cities', 25);

let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;
let videos: Video[];

let people = 0;

beforeEach(async () => {
  giveMedia();
  videos = [video('harbour', cities), video('tromso')];
  routes = {
    'GET /api/tags': () => ({ json: { tags: [cities], total: 1, total_pages: 1, page: 1, limit: 100 } }),
    'GET /api/videos/by-tags': () => ({
      json: { videos, total: videos.length, total_pages: 1, page: 1, limit: 20 },
    }),
    'GET /api/favourites': () => ({ json: { ids: ['tromso'] } }),
    'PUT /api/favourites/harbour': () => ({ status: 204 }),
    'DELETE /api/favourites/tromso': () => ({ status: 204 }),
  };
  server = fakeServer(routes);
  // Favourites are remembered for a person.
  people += 1;
  Object.assign(session, { phase: 'known', user: person('basic', { id: `user-${people}` }) });
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    resetSession();
    resetBrowsing();
  });
  vi.unstubAllGlobals();
  document.documentElement.dataset.form = 'desktop';
});

const drawVideos = async () => {
  await draw(<VideosScreen title="Videos" notice={null} />);
  await arrive();
};
const arrive = async () => {
  await act(() => vi.dynamicImportSettled());
  for (let turn = 0; turn < 5; turn += 1) await settle();
};
const chip = () =>
  [...document.querySelectorAll<HTMLButtonElement>('[aria-label="Channels"] button')].find(
    ({ textContent }) => textContent === 'Favourites',
  );
const chooseFavourites = async () => {
  await settle(() => chip()?.click());
  await arrive();
};
const hearts = () =>
  [...document.querySelectorAll('[aria-label^="Favourite: "]')].map(
    (one) => `${one.getAttribute('aria-label')} ${one.getAttribute('aria-pressed')}`,
  );
const changes = () => server.calls.filter((call) => call.includes('/api/favourites/'));
const headings = () => [...document.querySelectorAll('h2')].map(({ textContent }) => textContent);

test('favourites stand before the channels, and list what the person has marked', async () => {
  await drawVideos();
  await chooseFavourites();
  expect(server.calls.slice(-1)[0]).toBe('GET /api/videos/by-tags?tag_ids=is%3Afavourite&page=1&limit=20');
  expect([chip()?.getAttribute('aria-pressed'), headings()]).toEqual(['true', ['Favourites']]);
});

test('without any, the list says what they are', async () => {
  videos = [];
  await drawVideos();
  await chooseFavourites();
  expect(document.body.textContent).toContain('No favourites yetVideos that you mark with the heart are listed here.');
});

test('hearts are full once the person is known, although the screen was there before', async () => {
  const { user } = session;
  await settle(() => Object.assign(session, { phase: 'loading', user: null }));
  await drawVideos();
  await press('Show the newest');
  await arrive();
  await settle(() => Object.assign(session, { phase: 'known', user }));
  await arrive();
  expect(hearts()).toEqual(['Favourite: harbour.mp4 false', 'Favourite: tromso.mp4 true']);
});

test.each([
  ['a press on an empty heart adds', false, 'PUT'],
  ['a press on a full heart removes', true, 'DELETE'],
  ['a key where no heart is shown goes by the list', undefined, 'DELETE'],
])('%s, although the list was not read before', async (_, isFavourite, method) => {
  routes['PUT /api/favourites/tromso'] = () => ({ status: 204 });
  await toggleFavourite({ id: 'tromso', title: 'tromso.mp4' }, isFavourite);
  expect(changes()).toEqual([`${method} /api/favourites/tromso`]);
});

test('a list that is read while a heart is being sent waits for it, and includes it', async () => {
  const ids = ['tromso'];
  routes['GET /api/favourites'] = () => ({ json: { ids: [...ids] } });
  routes['PUT /api/favourites/harbour'] = () => {
    ids.push('harbour');
    return { status: 204 };
  };
  await loadFavourites();
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    if (init.method === 'PUT') await held;
    return fetch(address, init);
  });
  const adding = toggleFavourite({ id: 'harbour', title: 'harbour.mp4' });
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  onTestFinished(() => clock.mockRestore());
  const reading = loadFavourites();
  await settle();
  release();
  await Promise.all([adding, reading]);
  expect([...favourites.ids].sort()).toEqual(['harbour', 'tromso']);
});

test('a heart of somebody who has left meanwhile is none of whoever is here now', async () => {
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    await held;
    return fetch(address, init);
  });
  const adding = toggleFavourite({ id: 'harbour', title: 'harbour.mp4' }, false);
  people += 1;
  await settle(() => Object.assign(session, { user: person('basic', { id: `user-${people}` }) }));
  const reading = loadFavourites();
  release();
  expect(await adding).toBe('');
  await reading;
  expect([favourites.ids, changes()]).toEqual([['tromso'], []]);
});

test('a refusal takes back no later choice', async () => {
  await loadFavourites();
  const answers = [{ status: 500, json: { error: 'internal', message: 'Internal' } }, { status: 204 }];
  routes['PUT /api/favourites/harbour'] = () => answers.shift() ?? { status: 204 };
  routes['DELETE /api/favourites/harbour'] = () => ({ status: 204 });
  const harbour = { id: 'harbour', title: 'harbour.mp4' };
  await Promise.all([toggleFavourite(harbour), toggleFavourite(harbour), toggleFavourite(harbour)]);
  expect(changes()).toEqual(['PUT', 'DELETE', 'PUT'].map((method) => `${method} /api/favourites/harbour`));
  expect(favourites.ids).toContain('harbour');
});

test('the heart of a card marks its video at once, and says so when the server refuses', async () => {
  await drawVideos();
  await chooseFavourites();
  expect(hearts()).toEqual(['Favourite: harbour.mp4 false', 'Favourite: tromso.mp4 true']);
  await press('Favourite: harbour.mp4');
  await press('Favourite: tromso.mp4');
  await arrive();
  expect(hearts()).toEqual(['Favourite: harbour.mp4 true', 'Favourite: tromso.mp4 false']);
  expect(changes()).toEqual(['PUT /api/favourites/harbour', 'DELETE /api/favourites/tromso']);
  routes['PUT /api/favourites/tromso'] = () => ({
    status: 409,
    json: { error: 'conflict', message: 'At most 5000 videos can be favourites' },
  });
  await press('Favourite: tromso.mp4');
  await vi.waitFor(async () => {
    await arrive();
    expect(document.body.textContent).toContain(
      'Failed to change the favourite: At most 5000 videos can be favourites',
    );
  });
  expect(hearts()[1]).toBe('Favourite: tromso.mp4 false');
});

test('a heart that finds no network waits for it, and stands there when the list is read again', async () => {
  await drawVideos();
  await chooseFavourites();
  const { user } = session;
  delete routes['PUT /api/favourites/harbour'];
  await press('Favourite: harbour.mp4');
  await vi.waitFor(async () => {
    await arrive();
    expect(document.body.textContent).toContain('Stored on this device. It will be sent when the network is back.');
  });
  expect(hearts()[0]).toBe('Favourite: harbour.mp4 true');
  // Somebody else has been here meanwhile.
  await settle(() => Object.assign(session, { user: null }));
  await settle(() => Object.assign(session, { user }));
  await chooseFavourites();
  await vi.waitFor(async () => {
    await arrive();
    expect(hearts()).toEqual(['Favourite: harbour.mp4 true', 'Favourite: tromso.mp4 true']);
  });
});

test('a heart whose change is discarded is empty when a view opens again', async () => {
  await drawVideos();
  await chooseFavourites();
  delete routes['PUT /api/favourites/harbour'];
  await press('Favourite: harbour.mp4');
  await vi.waitFor(async () => {
    await arrive();
    expect(document.body.textContent).toContain('Stored on this device.');
  });
  await discardAllChanges();
  await act(() => loadFavourites());
  expect(hearts()).toEqual(['Favourite: harbour.mp4 false', 'Favourite: tromso.mp4 true']);
});

test('nobody who is not signed in has hearts on cards, and the player says what they need', async () => {
  await settle(() => Object.assign(session, { user: null }));
  await drawVideos();
  await press('Show the newest');
  await arrive();
  expect([chip(), hearts()]).toEqual([undefined, []]);
  await settle(() => document.querySelector<HTMLElement>('li bdi')?.closest('button')?.click());
  await arrive();
  await press('Add to Favourites');
  await arrive();
  expect(document.body.textContent).toContain('Sign in to keep favourites.');
  expect(changes()).toEqual([]);
});

test('key H and the button of the player change the favourite, but not while somebody types', async () => {
  await drawVideos();
  await chooseFavourites();
  await settle(() => document.querySelector<HTMLElement>('li bdi')?.closest('button')?.click());
  await arrive();
  const hit = (target: EventTarget) =>
    settle(() => target.dispatchEvent(new KeyboardEvent('keydown', { key: 'h', bubbles: true })));
  await hit(document.querySelector('input') as HTMLInputElement);
  expect(changes()).toEqual([]);
  await hit(document.body);
  await arrive();
  expect([changes(), button('Remove from Favourites').title]).toEqual([
    ['PUT /api/favourites/harbour'],
    'Remove from Favourites',
  ]);
});

test('a TV shows the heart of a favourite on its card, and no further stop of the focus', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawVideos();
  await chooseFavourites();
  expect([hearts(), document.querySelectorAll('[role="img"][aria-label="Favourite"]').length]).toEqual([[], 1]);
});

test('lists are sorted in six ways, and limited to a length and a shape', async () => {
  await drawVideos();
  await press('Show the newest');
  await arrive();
  const select = (label: string) => {
    const name = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
    return document.getElementById(name?.htmlFor ?? '') as HTMLSelectElement;
  };
  const options = (label: string) => [...select(label).options].map(({ text }) => text);
  expect(options('Sort by')).toEqual(['Newest', 'Name', 'Recorded', 'Longest', 'Largest', 'Most played']);
  expect(options('Length')).toEqual(['Any length', 'Under 1 min', '1 to 20 min', 'Over 20 min']);
  expect(options('Shape')).toEqual(['Any shape', 'Upright', 'Wide']);
  const pick = async (label: string, value: string) => {
    await settle(() => {
      select(label).value = value;
      select(label).dispatchEvent(new Event('change', { bubbles: true }));
    });
    await arrive();
    return server.calls.slice(-1)[0];
  };
  const list = 'GET /api/videos/by-tags';
  expect(await pick('Sort by', 'longest')).toBe(`${list}?sort_by=longest&page=1&limit=20`);
  expect(await pick('Length', 'is:long')).toBe(`${list}?tag_ids=is%3Along&sort_by=longest&page=1&limit=20`);
  expect(await pick('Shape', 'is:wide')).toContain('?tag_ids=is%3Along%2Cis%3Awide&');
  expect(await pick('Length', 'is:short')).toContain('?tag_ids=is%3Awide%2Cis%3Ashort&');
  expect(headings()).toEqual(['Wide, Short']);
  await pick('Length', 'any');
  expect(await pick('Shape', 'any')).toBe(`${list}?sort_by=longest&page=1&limit=20`);
});
