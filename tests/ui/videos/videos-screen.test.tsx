import { act, useState } from 'react';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { browse, resetBrowsing } from '#app/features/videos/browse-store.ts';
import { dismissFailure } from '#app/features/videos/video-player.tsx';
import { VideosScreen } from '#app/features/videos/videos-screen.tsx';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { resetSession, session } from '#app/state/session.ts';
import { titleChanged, videoAct } from '#app/state/view-requests.ts';
import type { Tag } from '#contract/entities/tag.ts';
import type { Video } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../keys.ts';
import { giveMedia } from '../ui/media/media-element.ts';
import { fakeSheets } from '../ui/storyboard/fake-sheets.ts';
import { withRemote } from '../with-remote.ts';
import { channel, video } from './library.ts';

const aurora = channel('a', 'Aurora', 2);
const cities = channel('c', 'Cities', 25);
const night = channel('n', 'Night', 1);

let tags: Tag[];
/** What channels were merged into, by id. */
let merged: Record<string, Tag>;
let videos: Video[];
let total: number;
let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;

withRemote(watchRemote);

beforeEach(() => {
  giveMedia();
  tags = [aurora, cities, night];
  merged = {};
  videos = [video('harbour', cities, night), video('tromso', aurora)];
  total = videos.length;
  routes = {
    'GET /api/tags': () => {
      const ids = new URL(server.calls.slice(-1)[0]?.slice(4) ?? '', 'http://localhost').searchParams
        .get('ids')
        ?.split(',');
      const found = ids?.flatMap((id) => merged[id] ?? tags.filter((tag) => tag.id === id)) ?? tags;
      return { json: { tags: found, total: found.length, total_pages: 1, page: 1, limit: 100 } };
    },
    'GET /api/videos/by-tags': () => ({ json: { videos, total, total_pages: 1, page: 1, limit: 20 } }),
  };
  server = fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    resetSession();
    resetBrowsing();
    dismissFailure();
  });
  vi.unstubAllGlobals();
  document.documentElement.dataset.form = 'desktop';
});

function Visit() {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        Another view
      </button>
      {isOpen && <VideosScreen title="Videos" notice={null} />}
    </>
  );
}

const drawVideos = async () => {
  const screen = await draw(<Visit />);
  await settle();
  return screen;
};
const visitElsewhere = async () => {
  await press('Another view');
  await press('Another view');
  await settle();
};
const text = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
const chip = (name: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('[aria-pressed]')].find(({ textContent }) =>
    textContent?.startsWith(name),
  );
const choose = async (name: string) => {
  await settle(() => chip(name)?.click());
  await settle();
};
const chips = () => text('[aria-label="Channels"] [aria-pressed]').map((words) => words?.replace(/\d.*/, ''));
const card = () => document.querySelector('li bdi')?.closest('button');
const cards = () => text('li bdi');
const blocks = (...blocked_tag_ids: string[]) => {
  const user = person('basic', {
    settings: {
      skip_duration_seconds: 60,
      blocked_tag_ids,
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once',
    },
  });
  Object.assign(session, { phase: 'known', user, features: user.features });
};
const dialog = () => document.querySelector('[role="dialog"]');

test('channels are chips with their number of videos, and nothing is listed before one is chosen', async () => {
  await drawVideos();
  expect(text('[aria-pressed]')).toEqual(['Aurora2 videos', 'Cities25 videos', 'Night1 video']);
  expect(text('h2')).toEqual(['Select Channels to Browse']);
  expect(text('h2 + p')).toEqual(['Their videos are listed here, from any of the channels.']);
  expect(server.calls).toEqual(['GET /api/tags?page=1&limit=100']);
});

test('chosen channels list their videos as cards with poster, length and channels', async () => {
  const screen = await drawVideos();
  await choose('Cities');
  await choose('Aurora');
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?tag_ids=c%2Ca&page=1&limit=20']);
  expect(text('h2')).toEqual(['Cities, Aurora']);
  expect(screen.textContent).toContain('2 videos');
  expect(text('[aria-label="Videos"] li button')).toEqual(['2:51harbour.mp4Cities, Night', '2:51tromso.mp4Aurora']);
  const poster = document.querySelector('li img');
  expect([poster?.getAttribute('src'), poster?.getAttribute('loading')]).toEqual(['/posters/harbour', 'lazy']);
  expect(chip('Cities')?.getAttribute('aria-pressed')).toBe('true');
});

test('a title that is changed over the player stands there and on the card', async () => {
  await drawVideos();
  await choose('Cities');
  await settle(() => card()?.click());
  await settle();
  await settle(() => titleChanged.emit({ id: 'harbour', title: 'Low tide' }));
  expect([text('[role="dialog"] h2'), cards()]).toEqual([['Low tide'], ['Low tide', 'tromso.mp4']]);
});

test('a video that is hidden over the player leaves the cards and the counts of its channels', async () => {
  Object.assign(session, { phase: 'known', features: featuresByTier.admin });
  await drawVideos();
  await choose('Cities');
  await settle(() => card()?.click());
  await settle();
  await press('Hide video');
  tags = [aurora, channel('c', 'Cities', 24), channel('n', 'Night', 0)];
  videos = [video('tromso', aurora)];
  await settle(() => videoAct.current?.onHidden?.('harbour'));
  await settle();
  expect([dialog(), cards()]).toEqual([null, ['tromso.mp4']]);
  expect(text('[aria-label="Channels"] button')).toEqual(['Aurora2 videos', 'Cities24 videos', 'Night0 videos']);
});

test('a card whose video cannot be played says why, and a press opens no player', async () => {
  const lacking = { ...video('harbour', cities), available: false, message: 'This device cannot play it.' };
  videos = [lacking];
  routes['GET /api/videos/harbour'] = () => ({ json: { video: lacking } });
  await drawVideos();
  await choose('Cities');
  expect(card()?.textContent).toBe('This device cannot play it.harbour.mp4Cities');
  await settle(() => card()?.click());
  await vi.waitFor(async () => {
    await settle();
    expect(text('[role="alert"]').join()).toContain('This device cannot play it.');
  });
  expect(dialog()).toBeNull();
});

test('a mouse on a card leads through the stills of its video', async () => {
  const sheet = { url: '/sheet', columns: 2, rows: 1, tile_width: 160, tile_height: 90, interval_seconds: 85.5 };
  videos = [{ ...video('harbour', cities), storyboard: sheet }];
  const sheets = fakeSheets();
  await drawVideos();
  await choose('Cities');
  await settle(() => card()?.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true })));
  expect(sheets.asked()).toEqual(['/sheet']);
  await settle(sheets.arrive);
  expect(card()?.querySelector<HTMLElement>('[aria-hidden="true"]')?.style.backgroundImage).toContain('/sheet');
});

test('a chosen channel is given up by another press', async () => {
  await drawVideos();
  await choose('Cities');
  await choose('Cities');
  expect(text('h2')).toEqual(['Select Channels to Browse']);
});

test('the choice outlasts a visit to another view', async () => {
  await drawVideos();
  await choose('Cities');
  await visitElsewhere();
  expect(text('h2')).toEqual(['Cities']);
  expect(cards()).toEqual(['harbour.mp4', 'tromso.mp4']);
});

test('pages are led through by Previous and Next', async () => {
  total = 25;
  const screen = await drawVideos();
  await choose('Cities');
  expect(screen.textContent).toContain('Page 1 of 2');
  expect(button('Previous').disabled).toBe(true);
  await press('Next');
  await settle();
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?tag_ids=c&page=2&limit=20']);
  expect(screen.textContent).toContain('Page 2 of 2');
});

test('channels without a video are said', async () => {
  videos = [];
  total = 0;
  await drawVideos();
  await choose('Night');
  expect(text('h2')).toEqual(['Night', 'No Videos Found']);
  expect(text('h2 + p')).toContain('No video that can be played matches.');
});

test('a library without channels, and a search that finds none, are said', async () => {
  tags = [];
  await drawVideos();
  expect(text('h2')).toEqual(['No channels available']);
  expect(text('h2 + p')).toEqual(['Videos are found here once they have channels.']);
  expect(button('Show the newest')).toBeTruthy();
  document.querySelector<HTMLInputElement>('[role="search"] input')?.focus();
  await type('zoo');
  await pressKey('Enter');
  await settle();
  expect(server.calls.slice(-1)).toEqual(['GET /api/tags?page=1&limit=100&search=zoo']);
  expect(text('h2')[0]).toBe('No channels match your search');
  expect(text('h2 + p')[0]).toBe('Clear the search to see all of them.');
});

test('of more channels than are listed it says how many, and how to find the others', async () => {
  routes['GET /api/tags'] = () => ({ json: { tags, total: 2500, total_pages: 25, page: 1, limit: 100 } });
  const screen = await drawVideos();
  expect(screen.textContent).toContain('Showing 3 of 2,500 channels. The search finds the others.');
});

test('large counts of videos have a separator, on the chips and over the cards', async () => {
  tags = [channel('c', 'Cities', 1500)];
  total = 1500;
  await drawVideos();
  await choose('Cities');
  expect(text('[aria-label="Channels"] button')).toEqual(['Cities1,500 videos']);
  expect(text('[aria-label="Videos"] [role="status"]')[0]).toBe('1,500 videos');
});

test('blocked channels are hidden and counted, also as a choice, as soon as they are blocked', async () => {
  await settle(() => blocks('n'));
  const screen = await drawVideos();
  expect(chips()).toEqual(['Favourites', 'Aurora', 'Cities']);
  expect(screen.textContent).toContain('1 channel hidden by your blocklist');
  await choose('Cities');
  await choose('Aurora');
  await settle(() => blocks('n', 'c'));
  await settle();
  expect([chips(), text('h2')]).toEqual([['Favourites', 'Aurora'], ['Aurora']]);
  expect(screen.textContent).toContain('2 channels hidden by your blocklist');
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?tag_ids=a&page=1&limit=20']);
});

test('every blocked channel is counted as hidden, whatever is searched and listed', async () => {
  await settle(() => blocks('n', 'beyond the first hundred'));
  const screen = await drawVideos();
  expect(screen.textContent).toContain('2 channels hidden by your blocklist');
  routes['GET /api/tags'] = () => ({ json: { tags: [], total: 0, total_pages: 1, page: 1, limit: 100 } });
  document.querySelector<HTMLInputElement>('[role="search"] input')?.focus();
  await type('zoo');
  await pressKey('Enter');
  await settle();
  expect(text('h2')[0]).toBe('No channels match your search');
  expect(screen.textContent).toContain('2 channels hidden by your blocklist');
});

test.each([
  ['GET /api/tags', 'Failed to load channels: Internal'],
  ['GET /api/videos/by-tags', 'Failed to load videos: Internal'],
])('a failure of %s says why, and tries again', async (call, sentence) => {
  const answer = routes[call];
  routes[call] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  await drawVideos();
  await choose('Cities');
  expect(text('[role="alert"]')).toEqual([`${sentence}Retry`]);
  routes[call] = answer;
  await press('Retry');
  await settle();
  expect(text('[role="alert"]')).toEqual([]);
});

test('without a network both wait, and come by themselves', async () => {
  const answers = { ...routes };
  for (const call of Object.keys(routes)) routes[call] = undefined;
  const screen = await drawVideos();
  expect(screen.textContent).toContain('Waiting for network');
  Object.assign(routes, answers);
  await settle(() => recovered.emit());
  await settle();
  expect(chips()).toEqual(['Aurora', 'Cities', 'Night']);
});

test.each(['phone', 'tv'])(
  'on a %s what was chosen comes first in the row, after a visit to another view',
  async (form) => {
    document.documentElement.dataset.form = form;
    await drawVideos();
    await choose('Night');
    expect(chips()).toEqual(['Aurora', 'Cities', 'Night']);
    await visitElsewhere();
    expect(chips()).toEqual(['Night', 'Aurora', 'Cities']);
  },
);

test('on a TV a button opens the search', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawVideos();
  expect(document.querySelector('[role="search"]')).toBe(null);
  await press('Search channels...');
  expect(focusedName()).toBe('Search channels...');
});

test('with a remote a card plays, and Back leads to it again', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawVideos();
  await choose('Cities');
  const first = card();
  await settle(() => first?.focus());
  await pressKey('Enter');
  expect(dialog()?.querySelector('h2')?.textContent).toBe('harbour.mp4');
  expect(document.querySelector('video')?.getAttribute('src')).toBe('/stream/harbour');
  await pressKeys('Escape');
  await settle();
  expect([dialog(), document.activeElement]).toEqual([null, first]);
});

test('without a channel the newest videos are listed on demand, until a channel is chosen', async () => {
  await drawVideos();
  await press('Show the newest');
  await settle();
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?page=1&limit=20']);
  expect(text('h2')).toEqual(['Newest videos']);
  await choose('Night');
  expect(text('h2')).toEqual(['Night']);
  await choose('Night');
  expect(text('h2')).toEqual(['Select Channels to Browse']);
});

test('a chosen channel that another plan does not show is chosen no longer, where it was the last one', async () => {
  await drawVideos();
  await choose('Night');
  tags = [];
  await settle(() => changedOnServer.profile.emit());
  await settle();
  expect([text('h2'), browse.chosen]).toEqual([['No channels available'], []]);
});

test('a chosen channel that is merged or gone is chosen no longer, and the other one in its place', async () => {
  await drawVideos();
  await choose('Aurora');
  await choose('Night');
  tags = [cities];
  merged = { n: cities };
  await settle(() => changedOnServer.tags.emit());
  await settle();
  expect([text('h2'), browse.chosen.map(({ name }) => name)]).toEqual([['Cities'], ['Cities']]);
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?tag_ids=c&page=1&limit=20']);
  merged = {};
  tags = [aurora];
  await settle(() => changedOnServer.tags.emit());
  await settle();
  expect([text('h2'), browse.chosen]).toEqual([['Select Channels to Browse'], []]);
});

test('the newest videos are offered once it is known whether there are channels', async () => {
  tags = [];
  const { fetch } = window;
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    await held;
    return fetch(...request);
  });
  await drawVideos();
  expect(text('h2')).toEqual([]);
  await settle(answer);
  await settle();
  expect(text('h2')).toEqual(['No channels available']);
  delete routes['GET /api/tags'];
  await visitElsewhere();
  expect(text('h2')).toContain('Select Channels to Browse');
});

test('videos are sorted by name on demand', async () => {
  await drawVideos();
  await press('Show the newest');
  const label = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === 'Sort by');
  const select = document.getElementById(label?.htmlFor ?? '') as HTMLSelectElement;
  await settle(() => {
    select.value = 'name';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await settle();
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?sort_by=name&page=1&limit=20']);
  expect(text('h2')).toEqual(['All channels']);
});

test('lists that this device had stored say once when they were listed, the older one for both', async () => {
  const answers = { ...routes };
  const storeFor = (hours: number, call: string) => {
    const headers = { 'X-Cached-At': String(Date.now() - hours * 3_600_000) };
    routes[call] = (body) => ({ ...answers[call]?.(body), headers });
  };
  storeFor(3, 'GET /api/tags');
  storeFor(5, 'GET /api/videos/by-tags');
  await drawVideos();
  expect(text('[role="status"]')).toEqual(['Waiting for network. Listed 3 hours ago.']);
  await choose('Cities');
  expect(text('[role="status"]')).toEqual(['Waiting for network. Listed 5 hours ago.', '2 videos']);
  storeFor(1, 'GET /api/videos/by-tags');
  await choose('Night');
  expect(text('[role="status"]')).toEqual(['Waiting for network. Listed 3 hours ago.', '2 videos']);
  Object.assign(routes, answers);
  await settle(() => recovered.emit());
  await settle();
  expect(text('[role="status"]')).toEqual(['2 videos']);
  storeFor(1, 'GET /api/videos/by-tags');
  await choose('Aurora');
  expect(text('[role="status"]')).toEqual(['2 videos', 'Waiting for network. Listed 1 hour ago.']);
});

test('videos are searched over all channels, or within the chosen ones', async () => {
  await drawVideos();
  document.querySelectorAll<HTMLInputElement>('[role="search"] input')[1]?.focus();
  await type('harbour');
  await pressKey('Enter');
  await settle();
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?search=harbour&page=1&limit=20']);
  expect(text('h2')).toEqual(['All channels']);
  await choose('Cities');
  expect(server.calls.slice(-1)).toEqual(['GET /api/videos/by-tags?tag_ids=c&search=harbour&page=1&limit=20']);
});

test('while the first channel loads, nothing says that there are no videos', async () => {
  const screen = await drawVideos();
  await settle(() => {
    chip('Night')?.click();
    expect(screen.textContent).not.toContain('No Videos Found');
  });
  expect(screen.textContent).not.toContain('No Videos Found');
});

test('a shared address plays its video once, over the view', async () => {
  routes['GET /api/videos/tromso'] = () => ({ json: { video: videos[1] } });
  navigation.sharedVideoId = 'tromso';
  await drawVideos();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('tromso.mp4');
  await press('Close');
  await visitElsewhere();
  expect([dialog(), server.calls.filter((call) => call.endsWith('/tromso')).length]).toEqual([null, 1]);
});

test('a shared video that is gone is said, and the sentence can be dismissed', async () => {
  routes['GET /api/videos/gone'] = () => ({ status: 404, json: { error: 'video_not_found', message: 'Not found' } });
  navigation.sharedVideoId = 'gone';
  await drawVideos();
  expect(text('[role="alert"]')).toEqual(['Failed to load video']);
  await press('Dismiss');
  expect(text('[role="alert"]')).toEqual([]);
});

test('a card of a kept list asks for its address again when that holds no more', async () => {
  const [first] = videos as [Video];
  videos = [{ ...first, url: '/stream/old?expires=1000' }];
  routes['GET /api/videos/harbour'] = () => ({ json: { video: { ...first, url: '/stream/new?expires=99999999999' } } });
  await drawVideos();
  await choose('Cities');
  await settle(() => card()?.click());
  await settle();
  expect(document.querySelector('video')?.getAttribute('src')).toBe('/stream/new?expires=99999999999');
});

test('a video that somebody hides while it plays is left, and its list is read again', async () => {
  await drawVideos();
  await choose('Cities');
  let hidden: string[] = [];
  routes['GET /api/videos/hidden'] = () => ({ json: { hidden } });
  await settle(() => card()?.click());
  await settle();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('harbour.mp4');
  await settle(() => changedOnServer.tags.emit());
  await settle();
  expect([dialog() === null, server.calls.slice(-3)]).toEqual([
    false,
    expect.arrayContaining(['GET /api/videos/hidden?ids=harbour']),
  ]);
  hidden = ['harbour'];
  videos = videos.slice(1);
  await settle(() => changedOnServer.tags.emit());
  for (let turn = 0; turn < 4; turn += 1) await settle();
  expect([dialog(), cards()]).toEqual([null, ['tromso.mp4']]);
});

test('whether it was hidden is asked from time to time, and no longer once it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await drawVideos();
  await choose('Cities');
  routes['GET /api/videos/hidden'] = () => ({ json: { hidden: [] } });
  await settle(() => card()?.click());
  await settle();
  const asks = () => server.calls.filter((call) => call.startsWith('GET /api/videos/hidden')).length;
  await act(() => vi.advanceTimersByTimeAsync(2 * limits.statusPollSeconds * 1000));
  expect(asks()).toBe(2);
  await press('Close');
  await act(() => vi.advanceTimersByTimeAsync(2 * limits.statusPollSeconds * 1000));
  expect(asks()).toBe(2);
});
