import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DuplicatesSection } from '#app/features/admin/duplicates-section.tsx';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import type { DuplicateGroup, DuplicateList, DuplicateVideo } from '#contract/entities/duplicate.ts';
import { button, draw, press, settle } from '../draw.tsx';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();
const sea = { id: 'sea', name: 'Sea' };

const video = (path: string, facts: Partial<DuplicateVideo> = {}): DuplicateVideo => ({
  id: path,
  path,
  title: 'Kelp',
  poster_url: null,
  size: 4_700_000,
  duration: 61,
  width: 1_920,
  height: 1_080,
  video_codec: 'hevc',
  created_at: yesterday(),
  tags: [],
  is_copy: false,
  likeness: 97,
  upload: null,
  ...facts,
});

let groups: DuplicateGroup[];
let search: DuplicateList['search'];
let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let calls: string[];

const listDuplicates = () => ({ json: { groups, search, total: groups.length, total_pages: 1, page: 1, limit: 10 } });
const done = () => ({ status: 204 });

beforeEach(() => {
  const upload = { entry: 'entry', stored: 'stored' };
  groups = [
    {
      id: 'kelp.mp4',
      count: 9,
      videos: [
        video('kelp.mp4', { is_copy: true, likeness: 100 }),
        video('copy.mp4', { is_copy: true, likeness: 100, tags: [sea] }),
        video('sent.mp4', { upload }),
      ],
    },
  ];
  search = { is_running: false, progress: null, finished_at: yesterday() };
  routes = { 'GET /api/admin/duplicates': listDuplicates };
  calls = fakeServer(routes).calls;
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
  });
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const text = () => document.body.textContent;
const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(text()).toContain(words);
  });

test('videos that are alike stand side by side, each with its facts and how near it is', async () => {
  await draw(<DuplicatesSection />);
  await appears('kelp.mp4');
  const tiles = [...document.querySelectorAll('li')].map((tile) => tile.textContent ?? '');
  expect(tiles).toHaveLength(3);
  expect(tiles[0]).toContain('4.7 MB, 1920 × 1080, HEVC, 1 minute 1 second');
  for (const [at, words] of ['The oldest', 'Equal content', 'Stills 97 % alike'].entries())
    expect(tiles[at]).toContain(words);
  expect(tiles[1]).toContain('Channels: Sea');
  for (const words of ['9 videos', 'and 6 more', 'The last search ended 1 day ago']) expect(text()).toContain(words);
});

test('a hidden video stays in sight with the way back, and says what becomes of its channels', async () => {
  routes['PUT /api/admin/videos/copy.mp4/hidden'] = done;
  routes['DELETE /api/admin/videos/copy.mp4/hidden'] = done;
  let body: unknown;
  routes['POST /api/videos/kelp.mp4/tags'] = (sent) => {
    body = sent;
    return { json: { tags: [] } };
  };
  await draw(<DuplicatesSection />);
  await appears('kelp.mp4');
  expect(text()).not.toContain('Add its channels');
  await press('Hide copy.mp4');
  await appears('Hidden. Its channels and favourites stay with it.');
  await press('Add its channels to the other copy.mp4');
  await appears('Its channels are on kelp.mp4 too.');
  expect(body).toEqual({ tag_ids: ['sea'] });
  expect(text()).not.toContain('Add its channels');
  await press('Show again copy.mp4');
  await appears('Shown again.');
  expect(button('Hide copy.mp4').disabled).toBe(false);
});

test('an upload is removed after a question, and brought back', async () => {
  routes['DELETE /api/upload/file/entry'] = done;
  routes['POST /api/admin/uploads/removed/stored/restore'] = done;
  await draw(<DuplicatesSection />);
  await appears('sent.mp4');
  await press('Remove sent.mp4');
  await appears('Are you sure you want to remove sent.mp4? It can be brought back for 30 days');
  await press('Remove');
  await appears('Removed. It can be brought back for 30 days, with its channels and favourites.');
  await press('Bring back sent.mp4');
  await appears('Brought back.');
  expect(calls.filter((call) => !call.startsWith('GET'))).toEqual([
    'DELETE /api/upload/file/entry',
    'POST /api/admin/uploads/removed/stored/restore',
  ]);
});

test('a group is kept, and listed again', async () => {
  routes['PUT /api/admin/videos/kelp.mp4/kept'] = done;
  routes['DELETE /api/admin/videos/kelp.mp4/kept'] = done;
  await draw(<DuplicatesSection />);
  await appears('kelp.mp4');
  await press('Keep all like kelp.mp4');
  await appears('Kept. They are not listed here any more.');
  await press('List again kelp.mp4');
  await appears('Listed again.');
});

test('a search under way leaves the ways back of hidden videos and kept groups in their places', async () => {
  const tides: DuplicateGroup = { id: 'tide.mp4', count: 2, videos: [video('tide.mp4'), video('ebb.mp4')] };
  const moon: DuplicateGroup = { id: 'moon.mp4', count: 2, videos: [video('moon.mp4'), video('full.mp4')] };
  groups = [...groups, tides, moon];
  routes['PUT /api/admin/videos/kelp.mp4/hidden'] = done;
  routes['PUT /api/admin/videos/tide.mp4/kept'] = done;
  routes['POST /api/admin/duplicates/search'] = () => ({ status: 202, json: {} });
  await draw(<DuplicatesSection />);
  await appears('kelp.mp4');
  await press('Hide kelp.mp4');
  await appears('Hidden. Its');
  await press('Keep all like tide.mp4');
  await appears('Kept. They');
  groups = [{ id: 'copy.mp4', count: 8, videos: [video('copy.mp4'), video('sent.mp4')] }, moon];
  search = { is_running: true, progress: 40, finished_at: null };
  await press('Search now');
  await appears('Searching...');
  await settle();
  const tiles = [...document.querySelectorAll('li bdi')].map((path) => path.textContent);
  expect(tiles.filter((path) => path?.endsWith('.mp4'))).toEqual([
    'kelp.mp4',
    'copy.mp4',
    'sent.mp4',
    'tide.mp4',
    'ebb.mp4',
    'moon.mp4',
    'full.mp4',
  ]);
  expect([button('Show again kelp.mp4'), button('List again tide.mp4')]).toHaveLength(2);
});

test('a video that cannot be hidden stays as it is, with the reason', async () => {
  routes['PUT /api/admin/videos/copy.mp4/hidden'] = () => ({
    status: 500,
    json: { error: 'internal', message: 'The database does not answer.' },
  });
  await draw(<DuplicatesSection />);
  await appears('kelp.mp4');
  await press('Hide copy.mp4');
  await appears('The database does not answer.');
  expect(button('Hide copy.mp4').disabled).toBe(false);
});

test('a search shows how far it is, and what it has found', async () => {
  const found = groups;
  [groups, search] = [[], { is_running: false, progress: null, finished_at: null }];
  routes['POST /api/admin/duplicates/search'] = () => {
    search = { is_running: true, progress: 40, finished_at: null };
    return { status: 202, json: { success: true } };
  };
  await draw(<DuplicatesSection />);
  await appears('No search has come to its end yet.');
  vi.useFakeTimers();
  await press('Search now');
  await settle();
  expect(text()).toContain('Searching...');
  expect(document.querySelector('[role="progressbar"]')?.getAttribute('aria-valuenow')).toBe('40');
  [groups, search] = [found, { is_running: false, progress: null, finished_at: yesterday() }];
  await settle(() => vi.advanceTimersByTimeAsync(2_000));
  vi.useRealTimers();
  await appears('kelp.mp4');
  expect(text()).toContain('Search now');
});

test('a search that finds nothing says so', async () => {
  groups = [];
  await draw(<DuplicatesSection />);
  await appears('No duplicates were found.');
});

test('the list says why it failed, and is tried again', async () => {
  routes['GET /api/admin/duplicates'] = () => ({ status: 500, json: { error: 'internal', message: 'Broken.' } });
  await draw(<DuplicatesSection />);
  await appears('Failed to load duplicates: Broken.');
  routes['GET /api/admin/duplicates'] = listDuplicates;
  await press('Retry');
  await appears('kelp.mp4');
});

test('without a network the list waits and comes by itself, and nothing can be done about a video', async () => {
  delete routes['GET /api/admin/duplicates'];
  await draw(<DuplicatesSection />);
  await appears('Waiting for network');
  routes['GET /api/admin/duplicates'] = listDuplicates;
  await settle(() => recovered.emit());
  await appears('kelp.mp4');
  await settle(() => {
    connection.isReachable = false;
  });
  for (const name of ['Hide kelp.mp4', 'Remove sent.mp4', 'Keep all like kelp.mp4', 'Search now'])
    expect(button(name).disabled).toBe(true);
});
