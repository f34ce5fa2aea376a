import { expect, onTestFinished, test, vi } from 'vitest';
import styles from '#app/features/video-tagging/tag-panel.module.css';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { navigation } from '#app/state/navigation.ts';
import { readOutbox } from '#app/state/outbox/outbox-state.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { titleChanged } from '#app/state/view-requests.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { button, press, settle } from '../draw.tsx';
import { pressKey, type } from '../keys.ts';
import { wear } from '../laid-out.ts';
import { report } from '../ui/media/media-element.ts';
import {
  alerts,
  box,
  card,
  chips,
  current,
  drawTagging,
  pressCard,
  pressed,
  setWidth,
  text,
  toggle,
  wait,
  withTagging,
} from './draw-tagging.tsx';

const held = withTagging();

const dialog = () => document.querySelector('[role="dialog"]');
const search = async (words: string) => {
  await settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
  await type(words);
};

test('cards show name, size in MB, up to two tags and how many more there are', async () => {
  await drawTagging();
  expect(card('encore')?.textContent).toBe('encore.mp41.0 MBNightCities+1');
  expect(card('tromso')?.textContent).toBe('tromso.mp41.0 MBNight');
  expect(held.server.calls).toContain('GET /api/videos/tagging?page=1&limit=12');
});

test.each([
  ['Select', 'kelp'],
  ['Shortcuts', null],
])('from %s, where the focus is before there are cards, it goes to the first one: %s', async (label, id) => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    if (address.startsWith('/api/videos/tagging')) await answered;
    return fetch(address, init);
  });
  await drawTagging();
  await settle(() => button(label).focus());
  answer();
  await wait();
  expect(card('kelp')).not.toBeNull();
  expect(document.activeElement).toBe(id === null ? button(label) : card(id));
});

test('untagged ones say that they need tags, and how they get some', async () => {
  await drawTagging();
  expect(card('kelp')?.textContent).toBe('NEEDS TAGSkelp.mp41.0 MBNo tagsClick to add tags');
});

test('a poster stands on the card where there is one; a frame that fails leaves the place to tag', async () => {
  const [{ video }] = held.server.videos as [(typeof held.server.videos)[0]];
  video.poster_url = null;
  const frames: HTMLVideoElement[] = [];
  const create = document.createElement.bind(document);
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(document, 'createElement').mockImplementation((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLVideoElement) frames.push(element);
    return element;
  });
  let comeNear = () => {};
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(hear: (entries: object[]) => void) {
        comeNear = () => hear([{ isIntersecting: true }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  await drawTagging();
  expect(document.querySelector('[data-video="encore"] img')?.getAttribute('src')).toBe('/posters/encore');
  expect(document.querySelector('[data-video="kelp"] canvas')).not.toBeNull();
  await settle(() => comeNear());
  expect(frames.map((frame) => frame.getAttribute('src'))).toEqual([`${video.url}#t=10`]);
  await report(frames[0]!, {}, 'error');
  expect(document.querySelector('[data-video="kelp"] canvas')).toBeNull();
  expect(card('kelp')?.textContent).toContain('Click to tag');
});

test('a card whose video cannot be played says why, and Play says it as well', async () => {
  const [{ video }] = held.server.videos as [(typeof held.server.videos)[0]];
  Object.assign(video, { available: false, message: 'This device cannot play it.' });
  held.server.routes[`GET /api/videos/${video.id}`] = () => ({ json: { video } });
  const screen = await drawTagging();
  expect(card(video.id)?.textContent).toContain('This device cannot play it.');
  await press(`Play ${video.title}`);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.textContent.split('This device cannot play it.')).toHaveLength(3);
  });
  expect(document.querySelector('[role="dialog"] video')).toBeNull();
});

test('the header counts the untagged, the tagged and all, and says how many need tags', async () => {
  held.server.more = 1180;
  const screen = await drawTagging();
  expect(text('dl div')).toEqual(['untagged1,182', 'tagged2', 'total1,184']);
  expect(screen.querySelector('h1 + p')?.textContent).toBe('1,182 videos need tags');
});

test('the search is sent with Enter alone, and cleared', async () => {
  vi.useFakeTimers();
  await drawTagging();
  await search('kelp');
  await settle(() => vi.advanceTimersByTime(5000));
  expect(held.server.calls.filter((one) => one.includes('search='))).toEqual([]);
  await pressKey('Enter');
  expect(held.server.calls.slice(-1)).toEqual(['GET /api/videos/tagging?page=1&limit=12&search=kelp']);
  await press('Clear');
  expect(held.server.calls.slice(-1)).toEqual(['GET /api/videos/tagging?page=1&limit=12']);
});

test('the two switches ask again from the first page on', async () => {
  held.server.more = 30;
  await drawTagging();
  await press('Next page');
  await toggle('Show untagged only');
  expect(held.server.calls.slice(-1)).toEqual(['GET /api/videos/tagging?page=1&limit=12&show_untagged_only=true']);
  await toggle('Untagged first');
  expect(held.server.calls.slice(-1)).toEqual([
    'GET /api/videos/tagging?page=1&limit=12&show_untagged_only=true&untagged_first=true',
  ]);
});

test('pages are numbered, with a quick jump above 20 of them and a page to go to', async () => {
  held.server.more = 300;
  await drawTagging();
  expect(text('nav ol li')).toEqual(['1', '2', '3', '…', '26']);
  await press('+10 pages');
  expect(held.server.calls.slice(-1)[0]).toContain('page=11');
  const field = document.querySelector<HTMLInputElement>('nav input');
  await settle(() => field?.focus());
  await type('99');
  await pressKey('Enter');
  expect([field?.value, held.server.calls.slice(-1)[0]]).toEqual(['', expect.stringContaining('page=11')]);
  await type('4');
  await press('Previous page');
  expect(field?.value).toBe('');
});

test('nothing is chosen at first; a press shows the tags of a video, and reads them', async () => {
  await drawTagging();
  expect(text('aside h2')).toEqual(['Select a Video']);
  await pressCard('encore');
  expect([text('aside h2'), text('aside p')[0], text('aside h3')]).toEqual([
    ['encore.mp4'],
    'Tagging Video',
    ['Current Tags', 'Add Tags'],
  ]);
  expect([current(), pressed()]).toEqual([['Night', 'Cities', 'Drone'], ['encore']]);
  expect(held.server.calls.slice(-1)).toEqual(['GET /api/videos/encore.mp4/tags']);
});

test('the button for details keeps its distance from the title', async () => {
  await drawTagging();
  await wear('styles/tokens.css');
  await wear('features/video-tagging/tag-panel.module.css', styles);
  await pressCard('encore');
  const title = document.querySelector('aside h2') as HTMLElement;
  expect([title.nextElementSibling?.textContent, getComputedStyle(title).marginBottom]).toEqual(['Details', '12px']);
});

test('a title that is changed meanwhile stands in the panel and on the card', async () => {
  await drawTagging();
  await pressCard('encore');
  await settle(() => titleChanged.emit({ id: 'encore', title: 'Last song' }));
  expect([text('aside h2'), text('[data-video="encore"] bdi')[0]]).toEqual([['Last song'], 'Last song']);
});

test('what others have changed meanwhile is shown once the tags are read', async () => {
  await drawTagging();
  held.server.routes['GET /api/videos/kelp.mp4/tags'] = () => ({
    json: { tags: [{ id: 'd', name: 'Drone', color: '#112233' }] },
  });
  await pressCard('kelp');
  expect([current(), chips('kelp'), text('dl div')[0]]).toEqual([['Drone'], ['Drone'], 'untagged1']);
});

test('a video without tags says so, and the tags that it has are marked and no choice', async () => {
  await drawTagging();
  await pressCard('kelp');
  expect(text('[aria-label="Current Tags"] p')).toEqual(['No tags assigned']);
  expect([box('Night')?.disabled, button('Assign 0 Tags').disabled]).toEqual([false, true]);
  await pressCard('tromso');
  expect(box('Night')?.disabled).toBe(true);
  expect(text('aside [data-tag] label')).toEqual(['NightAssigned', 'Cities', 'Drone']);
});

test('ticked tags are assigned together, shown on the card at once, and counted', async () => {
  await drawTagging();
  await pressCard('kelp');
  await toggle('Night');
  expect(button('Assign 1 Tag').disabled).toBe(false);
  await toggle('Drone');
  await press('Assign 2 Tags');
  expect([chips('kelp'), text('dl div')]).toEqual([
    ['Night', 'Drone'],
    ['untagged1', 'tagged3', 'total4'],
  ]);
  await wait();
  expect(held.server.bodies).toEqual([{ tag_ids: ['n', 'd'], confidence_score: 1 }]);
  expect([current(), box('Night')?.disabled]).toEqual([['Night', 'Drone'], true]);
  expect(text('[role="status"]').join()).toContain('Night, Drone added to 1 video.');
});

test('a tag is removed by its X, and the tags are read again', async () => {
  await drawTagging();
  await pressCard('tromso');
  await press('Remove Night');
  await wait();
  expect(held.server.calls.slice(-2)).toEqual([
    'DELETE /api/videos/tromso.mp4/tags/n',
    'GET /api/videos/tromso.mp4/tags',
  ]);
  expect([current(), card('tromso')?.textContent]).toEqual([[], 'NEEDS TAGStromso.mp41.0 MBNo tagsClick to add tags']);
});

test('removing what is gone already counts as done', async () => {
  await drawTagging();
  await pressCard('tromso');
  (held.server.videos[3] as { tags: unknown[] }).tags = [];
  await press('Remove Night');
  await wait();
  expect([current(), alerts()]).toEqual([[], []]);
});

test.each([
  [
    'POST /api/videos/kelp.mp4/tags',
    'kelp',
    () => toggle('Night').then(() => press('Assign 1 Tag')),
    'Failed to assign tags: Internal',
    [],
  ],
  [
    'DELETE /api/videos/tromso.mp4/tags/n',
    'tromso',
    () => press('Remove Night'),
    'Failed to remove tag: Internal',
    ['Night'],
  ],
])('%s that is refused goes back, and is said until it is dismissed', async (route, id, act, sentence, tags) => {
  held.server.refuse(route);
  await drawTagging();
  await pressCard(id);
  await act();
  await wait();
  expect([alerts(), current(), text('dl div')[0]]).toEqual([[sentence], tags, 'untagged2']);
  await press('Dismiss');
  expect(alerts()).toEqual([]);
});

test('tags that cannot be read are said; those of the list stay', async () => {
  held.server.refuse('GET /api/videos/encore.mp4/tags');
  await drawTagging();
  await pressCard('encore');
  expect([alerts(), current()]).toEqual([['Failed to load video tags: Internal'], ['Night', 'Cities', 'Drone']]);
});

test('failed lists are said, each with a way to try again', async () => {
  held.server.refuse('GET /api/videos/tagging');
  held.server.refuse('GET /api/tags');
  const screen = await drawTagging();
  expect(alerts()).toEqual(['Failed to load videos: InternalRetry']);
  delete held.server.routes['GET /api/videos/tagging'];
  await press('Retry');
  await wait();
  expect(screen.textContent).toContain('Waiting for network');
});

test('tags that cannot be listed are said in the panel', async () => {
  held.server.refuse('GET /api/tags');
  await drawTagging();
  await pressCard('kelp');
  expect(alerts()).toEqual(['Failed to load tags: InternalRetry']);
});

test('without a network it waits, comes by itself, and what is changed is sent later', async () => {
  const list = held.server.routes['GET /api/videos/tagging'];
  delete held.server.routes['GET /api/videos/tagging'];
  const screen = await drawTagging();
  expect(screen.textContent).toContain('Waiting for network');
  held.server.routes['GET /api/videos/tagging'] = list;
  await settle(() => recovered.emit());
  await wait();
  await pressCard('kelp');
  await toggle('Night');
  await settle(() => {
    connection.isReachable = false;
  });
  held.server.calls.length = 0;
  await press('Assign 1 Tag');
  await wait();
  expect(screen.textContent).toContain('Stored on this device. It will be sent when the network is back.');
  expect(chips('kelp')).toEqual(['Night']);
  expect(held.server.calls).toEqual([]);
  expect(await outboxStore.list('user-1')).toMatchObject([{ call: 'assignTags', subject: 'kelp.mp4' }]);

  // It was discarded in Profile: the list is what the server has again.
  await settle(() => {
    connection.isReachable = true;
  });
  await outboxStore.discardAll('user-1');
  await settle(() => void readOutbox());
  await wait();
  expect([held.server.calls.slice(-1)[0], chips('kelp')]).toEqual([
    expect.stringContaining('GET /api/videos/tagging'),
    [],
  ]);
});

test('an empty page says why', async () => {
  held.server.videos.length = 0;
  await drawTagging();
  expect(text('h2')).toContain('No Videos Found');
  expect(text('h2 + p')).toEqual(['Videos are listed here once the library has some.']);
  await toggle('Show untagged only');
  expect(text('h2 + p')).toEqual(['All videos have tags.']);
  await search('xyz');
  expect(text('h2 + p')).toEqual(['Clear the search to see all of them.']);
});

test('the play button plays over the page, until the X, Escape or the end', async () => {
  await drawTagging();
  await press('Play kelp.mp4');
  expect(dialog()?.querySelector('h2')?.textContent).toBe('kelp.mp4');
  await press('Close');
  expect(dialog()).toBeNull();
  await press('Play kelp.mp4');
  await pressKey('Escape');
  await vi.waitFor(() => expect(dialog()).toBeNull());
  await press('Play kelp.mp4');
  const video = dialog()?.querySelector('video') as HTMLVideoElement;
  await report(video, { ended: true }, 'ended');
  expect(dialog()).toBeNull();
});

test('a video whose server does not answer plays by the address of its list', async () => {
  await drawTagging();
  const { video } = held.server.videos.find(
    (item) => item.video.path === 'kelp.mp4',
  ) as (typeof held.server.videos)[number];
  held.server.refuse(`GET /api/videos/${video.id}`);
  await press('Play kelp.mp4');
  expect(dialog()?.querySelector('h2')?.textContent).toBe('kelp.mp4');
  expect(dialog()?.querySelector('video')?.src).toContain(video.url);
});

test('a list of more than 100 tags is searched on the server', async () => {
  held.server.routes['GET /api/tags'] = () => ({
    json: { tags: held.server.tags, total: 1300, total_pages: 13, page: 1, limit: 100 },
  });
  const screen = await drawTagging();
  await pressCard('kelp');
  expect(screen.textContent).toContain('Showing 3 of 1,300 tags. The search finds the others.');
  await settle(() => document.querySelector<HTMLInputElement>('aside [role="search"] input')?.focus());
  await type('zoo');
  await pressKey('Enter');
  expect(held.server.calls.slice(-1)).toEqual(['GET /api/tags?page=1&limit=100&search=zoo']);
});

test('people who may not change tags see them, and are told why they cannot', async () => {
  siteConfig.isTagEditingOpen = false;
  const screen = await drawTagging();
  expect(screen.textContent).toContain('Only administrators can change tags here.');
  expect(card('kelp')?.textContent).toBe('NEEDS TAGSkelp.mp41.0 MBNo tags');
  await pressCard('encore');
  expect([current(), text('aside h3')]).toEqual([['Night', 'Cities', 'Drone'], ['Current Tags']]);
  expect(() => button('Remove Night')).toThrow();
  await pressCard('tromso', { shiftKey: true });
  expect(() => button('Clear Selection')).toThrow();
});

test('on narrow screens the panel is a sheet, which closes by its X, outside and Back', async () => {
  setWidth(390);
  await drawTagging();
  expect(document.querySelector('aside')).toBeNull();
  await pressCard('encore');
  expect([dialog()?.getAttribute('aria-label'), current()]).toEqual(['Tags', ['Night', 'Cities', 'Drone']]);
  await press('Close');
  expect(dialog()).toBeNull();
  await pressCard('encore');
  await pressKey('Escape');
  await vi.waitFor(() => expect(dialog()).toBeNull());
});

test('on a phone tabs lead to the other page of Tagging', async () => {
  document.documentElement.dataset.form = 'phone';
  await drawTagging();
  await press('Tag Management');
  expect(navigation.view).toBe('tag-management');
});

test('a tag that others rename, merge or remove follows on cards, in the choice and among the ticked', async () => {
  await drawTagging();
  const { routes, tags, videos } = held.server;
  await pressCard('kelp');
  for (const name of ['Night', 'Cities']) await toggle(name);
  const [night, cities, drone] = tags as [Tag, Tag, Tag];
  const now = [{ ...night, name: 'Nights' }, { ...drone }];
  // Cities was merged into Drone.
  for (const item of videos)
    item.tags = item.tags.flatMap((tag) => (tag.id === cities.id ? [] : (now.find(({ id }) => id === tag.id) ?? [])));
  routes['GET /api/tags'] = () => ({ json: { tags: now, total: 2, total_pages: 1, page: 1, limit: 100 } });
  await settle(() => changedOnServer.tags.emit());
  await wait();
  expect([chips('encore'), chips('tromso')]).toEqual([['Nights', 'Drone'], ['Nights']]);
  expect([box('Nights')?.checked, box('Cities'), box('Drone')?.checked]).toEqual([true, null, false]);
  const places = [...document.querySelectorAll<HTMLElement>('[data-video]')].map(({ dataset }) => dataset.video);
  expect(places).toEqual(['kelp', 'encore', 'dunes', 'tromso']);
});

test('a video that somebody hides while it plays is left', async () => {
  await drawTagging();
  const { routes } = held.server;
  let hidden: string[] = [];
  routes['GET /api/videos/hidden'] = () => ({ json: { hidden } });
  await press('Play tromso.mp4');
  await wait();
  expect(dialog()?.textContent).toContain('tromso.mp4');
  await settle(() => changedOnServer.tags.emit());
  await wait();
  expect(dialog()).not.toBeNull();
  hidden = ['tromso'];
  await settle(() => changedOnServer.tags.emit());
  await wait();
  expect(dialog()).toBeNull();
});
