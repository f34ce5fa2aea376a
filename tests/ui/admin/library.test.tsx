import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LibrarySection } from '#app/features/admin/library/library-section.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { resetSiteConfig } from '#app/state/site-config.ts';
import type { Library, LibraryRoot } from '#contract/entities/library.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';

withRemote(watchRemote);

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

const root = (facts: Partial<LibraryRoot> = {}): LibraryRoot => ({
  name: 'Films',
  folder: '/mnt/films',
  kind: 'folder',
  videos: 1_204,
  available: 1_200,
  missing_since: null,
  scanned_at: yesterday(),
  free_bytes: 120e9,
  total_bytes: 500e9,
  ...facts,
});

const atRest = { is_running: false, progress: null, found: null, finished_at: yesterday(), duration_seconds: 125 };
const library = (facts: Partial<Library> = {}): Library => ({
  roots: [root()],
  scan: atRest,
  unplayable: 0,
  hidden: 0,
  cache_bytes: 4_700_000,
  ...facts,
});

const pageOf = (...videos: object[]) => ({
  json: { videos, total: videos.length, total_pages: 1, page: 1, limit: 20 },
});
const broken = {
  id: 'x',
  root: 'Films',
  path: 'old/tape.avi',
  size: 92e6,
  reason: 'It cannot be played in a browser.',
};
const hidden = {
  id: 'h',
  root: 'Films',
  path: 'a/b.mp4',
  poster_url: '/posters/h',
  hidden_at: yesterday(),
  hidden_by: 'ada',
};

const removed = {
  id: 'r',
  filename: 'harbour.mp4',
  size: 92e6,
  uploaded_by: 'ben',
  removed_by: null,
  removed_at: yesterday(),
  kept_until: '2027-01-02T12:00:00.000Z',
};
const removedOf = (...uploads: object[]) => ({
  json: { uploads, total: uploads.length, total_pages: 1, page: 1, limit: 20 },
});

let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  routes = {
    'GET /api/admin/library': () => ({ json: library() }),
    'GET /api/admin/library/unplayable': () => pageOf(),
    'GET /api/admin/reports': () => pageOf(),
    'GET /api/admin/videos/hidden': () => pageOf(),
    'GET /api/admin/uploads/removed': () => removedOf(),
    'GET /api/admin/library/folder-channels': () => ({ json: { enabled: true, channels: 12 } }),
  };
  server = fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    resetSiteConfig();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

/** Draws it, and waits for a sentence of it. */
async function drawLibrary(words: string): Promise<HTMLElement> {
  const screen = await draw(<LibrarySection />);
  await appears(words);
  return screen;
}

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

test('a folder says what is in it, what room is left, and when it was looked through', async () => {
  const screen = await drawLibrary('/mnt/films');
  for (const words of ['1,204 videos, 1,200 available', '120 GB free of 500 GB', 'Looked through 1 day ago'])
    expect(screen.textContent).toContain(words);
  expect(screen.textContent).not.toContain('nearly full');
});

test('a folder that is gone says since when, and a full disk that it is', async () => {
  routes['GET /api/admin/library'] = () => ({
    json: library({
      roots: [root({ missing_since: yesterday(), free_bytes: null }), root({ folder: '/mnt/b', free_bytes: 1e9 })],
    }),
  });
  const screen = await drawLibrary('/mnt/films');
  for (const words of ['cannot be read since', '(1 day ago)', 'does not say how much room', 'nearly full'])
    expect(screen.textContent).toContain(words);
});

test.each([
  [[], 'No folders yet. Name your folders of videos under Settings'],
  [[root({ kind: 'demo' })], 'Only the demo clips are here. Name your folders of videos under Settings'],
])('with the folders %j it says how to name others', async (roots, words) => {
  routes['GET /api/admin/library'] = () => ({ json: library({ roots }) });
  await drawLibrary(words);
});

describe('where it cannot be read', () => {
  test('it says why, and tries again', async () => {
    routes['GET /api/admin/library'] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
    await drawLibrary('Failed to load the library: Out of order.');
    routes['GET /api/admin/library'] = () => ({ json: library() });
    await press('Retry');
    await appears('/mnt/films');
  });

  test('without a network it waits', async () => {
    routes = {};
    fakeServer(routes);
    await drawLibrary('Waiting for network');
  });
});

test('a rescan shows its progress, and the last one how long it took', async () => {
  const screen = await drawLibrary('The last one ended 1 day ago');
  expect(screen.textContent).toContain('took 2 minutes 5 seconds');
  routes['POST /api/refresh'] = () => ({ status: 202, json: { success: true } });
  routes['GET /api/admin/library'] = () => ({
    json: library({ scan: { ...atRest, is_running: true, progress: 45, found: 540 } }),
  });
  await press('Rescan');
  await appears('45 %, 540 files found');
  expect(screen.querySelector('[role="progressbar"]')?.getAttribute('aria-valuenow')).toBe('45');
  expect(button('Scanning...').disabled).toBe(true);
});

test('the cache is cleared after a question, and says what was freed', async () => {
  await drawLibrary('4.7 MB of posters and previews');
  routes['POST /api/clear-cache'] = () => ({ json: { success: true, freed_bytes: 4_700_000 } });
  await press('Clear cache');
  const dialog = document.querySelector('[role="alertdialog"]');
  expect(dialog?.textContent).toContain('Are you sure you want to clear the cache?');
  await settle(() => dialog?.querySelectorAll('button')[1]?.click());
  await appears('4.7 MB freed. Posters come back by themselves.');
  expect(document.querySelector('[role="alertdialog"]')).toBeNull();
});

describe('channels from folders', () => {
  const calls = 'GET /api/admin/library/folder-channels';
  const box = () => document.querySelector<HTMLInputElement>('input[aria-label="Make channels of folders"]');

  test('are turned off, which is shown at once and saved', async () => {
    const screen = await drawLibrary('12 channels of 200 at most, by name');
    expect(screen.textContent).toContain('The first folder below a library folder becomes a channel of its videos.');
    expect(box()?.checked).toBe(true);
    let sent: unknown;
    routes['PUT /api/admin/library/folder-channels'] = (body) => {
      sent = body;
      return { json: { enabled: false, channels: 0 } };
    };
    routes[calls] = () => ({ json: { enabled: false, channels: 0 } });
    await settle(() => box()?.click());
    expect(sent).toEqual({ enabled: false });
    await vi.waitFor(async () => {
      await settle();
      expect(screen.textContent).not.toContain('of 200 at most');
    });
    expect([box()?.checked, box()?.disabled]).toEqual([false, false]);
  });

  test('stay as they were when that fails, and say why', async () => {
    await drawLibrary('12 channels of 200');
    routes['PUT /api/admin/library/folder-channels'] = () => ({
      status: 500,
      json: { error: 'internal', message: 'Out of order.' },
    });
    await settle(() => box()?.click());
    await appears('Out of order.');
    expect(box()?.checked).toBe(true);
  });

  test('say why they cannot be read, and are tried again', async () => {
    routes[calls] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
    await drawLibrary('Failed to load channels: Out of order.');
    routes[calls] = () => ({ json: { enabled: true, channels: 1 } });
    await press('Retry');
    await appears('1 channel of 200 at most');
  });

  test('wait for the network, and are not changed without it', async () => {
    await drawLibrary('12 channels of 200');
    await settle(() => {
      connection.isReachable = false;
    });
    expect(box()?.disabled).toBe(true);
  });
});

test('what cannot be played stands with its reason, and is searched by path', async () => {
  routes['GET /api/admin/library/unplayable'] = () => pageOf(broken);
  const screen = await drawLibrary('old/tape.avi');
  for (const words of ['It cannot be played in a browser.', 'Films, 92 MB'])
    expect(screen.textContent).toContain(words);
  expect(screen.querySelector('[aria-label="Cannot be played"] bdi')?.textContent).toBe('old/tape.avi');
  routes['GET /api/admin/library/unplayable'] = () => pageOf();
  await settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
  await type('film');
  await pressKey('Enter');
  await appears('Nothing matches your search.');
  expect(server.calls.find((call) => call.includes('search=film'))).toBeDefined();
});

test('a hidden video is shown again', async () => {
  routes['GET /api/admin/videos/hidden'] = () => pageOf(hidden);
  const screen = await drawLibrary('a/b.mp4');
  expect(screen.querySelector('img')?.getAttribute('src')).toBe('/posters/h');
  expect(screen.textContent).toMatch(/Hidden 1 day ago \(.*\) by ada/);
  routes['DELETE /api/admin/videos/h/hidden'] = () => ({ status: 204 });
  routes['GET /api/admin/videos/hidden'] = () => pageOf();
  await press('Show again a/b.mp4');
  await appears('No video is hidden.');
});

test('a poster that does not come leaves its place empty', async () => {
  routes['GET /api/admin/videos/hidden'] = () => pageOf(hidden);
  const screen = await drawLibrary('a/b.mp4');
  await settle(() => screen.querySelector('img')?.dispatchEvent(new Event('error')));
  expect(screen.querySelector('img')).toBeNull();
});

describe('a removed upload', () => {
  const list = 'GET /api/admin/uploads/removed';

  test('says who removed it and until when it can be brought back, and comes back', async () => {
    routes[list] = () => removedOf(removed);
    const screen = await drawLibrary('harbour.mp4');
    for (const words of ['92 MB, uploaded by ben', 'by a deleted account', 'Can be brought back until'])
      expect(screen.textContent).toContain(words);
    expect(screen.textContent).toMatch(/Removed 1 day ago/);
    routes['POST /api/admin/uploads/removed/r/restore'] = () => ({ status: 204 });
    routes[list] = () => removedOf();
    await press('Bring back harbour.mp4');
    await appears('No upload was removed.');
  });

  test('is deleted after a question', async () => {
    routes[list] = () => removedOf(removed);
    await drawLibrary('harbour.mp4');
    routes['DELETE /api/admin/uploads/removed/r'] = () => ({ status: 204 });
    routes[list] = () => removedOf();
    await press('Delete now: harbour.mp4');
    const dialog = document.querySelector('[role="alertdialog"]');
    expect(dialog?.textContent).toContain('Are you sure you want to delete harbour.mp4 now?');
    expect(server.calls.some((call) => call.startsWith('DELETE'))).toBe(false);
    await settle(() => dialog?.querySelectorAll('button')[1]?.click());
    await appears('No upload was removed.');
  });

  test('whose file is gone stays in the list, with the reason', async () => {
    routes[list] = () => removedOf(removed);
    await drawLibrary('harbour.mp4');
    const message = 'The file of this video is not there any more.';
    routes['POST /api/admin/uploads/removed/r/restore'] = () => ({ status: 409, json: { error: 'conflict', message } });
    await press('Bring back harbour.mp4');
    await appears(message);
    expect(button('Bring back harbour.mp4').disabled).toBe(false);
  });

  test('says why the list cannot be read, and tries again', async () => {
    routes[list] = () => ({ status: 500, json: { error: 'internal', message: 'Out of order.' } });
    await drawLibrary('Failed to load removed uploads: Out of order.');
    routes[list] = () => removedOf(removed);
    await press('Retry');
    await appears('harbour.mp4');
  });
});

test('offline, nothing that needs the server can be pressed', async () => {
  routes['GET /api/admin/videos/hidden'] = () => pageOf(hidden);
  routes['GET /api/admin/uploads/removed'] = () => removedOf(removed);
  await drawLibrary('harbour.mp4');
  await settle(() => {
    connection.isReachable = false;
  });
  for (const name of [
    'Rescan',
    'Clear cache',
    'Show again a/b.mp4',
    'Bring back harbour.mp4',
    'Delete now: harbour.mp4',
  ])
    expect(button(name).disabled).toBe(true);
});

test('with a remote everything is reached by arrows, rows without buttons too', async () => {
  document.documentElement.dataset.form = 'tv';
  routes['GET /api/admin/library/unplayable'] = () => pageOf(broken);
  routes['GET /api/admin/videos/hidden'] = () => pageOf(hidden);
  await drawLibrary('a/b.mp4');
  await settle(() => button('Rescan').focus());
  const reached = ['Rescan'];
  for (let steps = 0; steps < 8; steps += 1) {
    await pressKeys('ArrowDown');
    reached.push(focusedName() ?? '');
  }
  for (const name of ['Clear cache', 'Search by path', 'Show again a/b.mp4']) expect(reached).toContain(name);
  expect(reached.some((name) => name.startsWith('old/tape.avi'))).toBe(true);
});

test('a refusal does not stand there any more at the next visit', async () => {
  routes['GET /api/admin/videos/hidden'] = () => pageOf(hidden);
  routes['GET /api/admin/uploads/removed'] = () => removedOf(removed);
  const refuse = (message: string) => () => ({ status: 409, json: { error: 'conflict', message } });
  routes['DELETE /api/admin/videos/h/hidden'] = refuse('Not shown.');
  routes['POST /api/admin/uploads/removed/r/restore'] = refuse('Not brought back.');
  const screen = await draw(<Visit />);
  await appears('harbour.mp4');
  await press('Show again a/b.mp4');
  await press('Bring back harbour.mp4');
  await appears('Not shown.');
  await appears('Not brought back.');
  await press('Another section');
  await press('Another section');
  await appears('harbour.mp4');
  await appears('a/b.mp4');
  expect(screen.textContent).not.toMatch(/Not (shown|brought back)\./);
});

function Visit() {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        Another section
      </button>
      {isOpen && <LibrarySection />}
    </>
  );
}
