import { act } from 'react';
import { ref } from 'valtio/vanilla';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { KeptCard } from '#app/features/profile/kept-card.tsx';
import { cancelSignOut, SignOutDialog, startSignOut } from '#app/features/profile/sign-out-dialog.tsx';
import KeepDialog from '#app/features/video-dialogs/keep-dialog.tsx';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { connection } from '#app/state/connection.ts';
import { readOutbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { keepRequest, stopKeeping } from '#app/state/saved/keeping.ts';
import { readSaved, saved } from '#app/state/saved/saved-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import { limits } from '#contract/limits.ts';
import { facts } from '#device/device-database.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { clockParts, fakeIndexedDb, holdStore, runDatabase } from '#tests/unit/device/fake-indexed-db.ts';
import { savedRow } from '#tests/unit/device/saved/saved-row.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';

/** The document's own blobs cannot be stored: there are no pieces. */
vi.mock('#device/saved/saved-bytes.ts', async (original) => {
  const { SavedBytes } = await original<typeof import('#device/saved/saved-bytes.ts')>();
  const place = { write: async () => {}, read: async () => [], remove: async () => {}, listOwners: async () => [] };
  return { openSavedBytes: async () => new SavedBytes(place) };
});

let release: () => void;

beforeAll(fakeIndexedDb);

beforeEach(() => {
  release = () => {};
  fakeServer({});
  const user = { ...person(), id: 'ana' };
  Object.assign(session, { phase: 'known', user, features: user.features });
});

afterEach(async () => {
  await settle(() => {
    stopKeeping();
    cancelSignOut();
    resetOutbox();
    resetSession();
    connection.isReachable = true;
    keepRequest.current = null;
  });
  release();
  Reflect.deleteProperty(navigator, 'storage');
  vi.useRealTimers();
  const { videos } = await savedStore.listAll();
  await savedStore.remove(videos.map(({ id }) => id));
  await outboxStore.discardAll('ana');
  vi.restoreAllMocks();
});

/** The database answers in turns of the loop. */
const untilRead = () => act(() => runDatabase(400));

async function drawCard(...rows: Partial<SavedVideo>[]): Promise<HTMLElement> {
  const stored = rows.map((fields, at) =>
    savedRow({ id: `s${at}`, videoId: `v${at}`, savedAt: at, checkedAt: Date.now(), filename: `${at}.mp4`, ...fields }),
  );
  // Paused ones are left alone by whoever fetches.
  for (const row of stored) await savedStore.add(row);
  const card = await draw(<KeptCard />);
  await untilRead();
  return card;
}

test('an empty list says where videos are kept', async () => {
  const card = await drawCard();
  expect(card.textContent).toContain('Nothing is kept yet. Keep offline is in the menu of each video.');
  expect(card.querySelectorAll('button')).toHaveLength(0);
});

test('what the browser does not promise is said, with the way to a secure address for administrators', async () => {
  // jsdom has no service workers: this is a page without TLS.
  const card = await drawCard({ state: 'paused', savedBytes: 0 });
  const open = 'To start without the server, open Fourfold by its secure address.';
  expect(card.textContent).toContain(`Saved videos play while this page is open. ${open}`);
  expect(card.textContent).not.toContain('TLS=local');
  await settle(() => void Object.assign(session, { user: { ...person('admin'), id: 'ana' } }));
  expect(card.textContent).toContain('when it is started with TLS=local');
});

test('a tab on an iPad says after which time Safari removes videos', async () => {
  Object.assign(navigator, { standalone: false });
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X)');
  const card = await drawCard({ state: 'paused', savedBytes: 0 });
  expect(card.textContent).toContain(
    'Safari removes them after 7 days without a visit. Add to Home Screen keeps them.',
  );
  Reflect.deleteProperty(navigator, 'standalone');
});

test('each video says how it stands, and has what can be done about it', async () => {
  const card = await drawCard(
    { state: 'paused', savedBytes: 2_500_000 },
    { state: 'paused', reason: 'no-room', savedBytes: 0 },
    { state: 'failed', reason: 'gone', savedBytes: 0 },
    { state: 'failed', reason: 'plan', savedBytes: 0 },
    { state: 'failed', reason: 'too-large', savedBytes: 0 },
    { state: 'paused', reason: 'not-smaller', savedBytes: 0, durationSeconds: 1 },
    { state: 'paused', reason: 'not-smaller', savedBytes: 0, durationSeconds: 60 },
  );
  expect([...card.querySelectorAll('li')].map((row) => row.textContent)).toEqual([
    '0.mp4Paused · 2.5 MB of 5.0 MB',
    '1.mp4This device has no room for it (5.0 MB).',
    '2.mp4It is no longer on the site.',
    '3.mp4Your plan does not include this.',
    '4.mp4It is larger than 2 GB.',
    '5.mp4It has not been made smaller yet. The original takes 5.0 MB.',
    '6.mp4The site has not prepared it yet. The original takes 5.0 MB.',
  ]);
  expect([button('Resume: 0.mp4'), button('Retry: 2.mp4'), button('Keep the original: 5.mp4')]).toHaveLength(3);
  await press('Remove: 2.mp4');
  await untilRead();
  expect(card.textContent).not.toContain('2.mp4');
});

test('all are removed after a question', async () => {
  const card = await drawCard({ state: 'paused' }, { state: 'paused' });
  await press('Remove all');
  const dialog = document.querySelector('[role="alertdialog"]') as HTMLElement;
  expect(dialog.textContent).toContain(
    'Are you sure you want to remove 2 videos from this device? The site keeps them.',
  );
  await settle(() =>
    [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Remove all')?.click(),
  );
  await untilRead();
  expect(card.textContent).toContain('Nothing is kept yet.');
});

test('a list that cannot be read says so, and is read again', async () => {
  const card = await drawCard({ state: 'paused' });
  vi.spyOn(savedStore, 'list').mockRejectedValueOnce(new Error('lost'));
  await settle(() => void readSaved());
  await untilRead();
  expect(card.querySelector('[role="alert"]')?.textContent).toContain('The list could not be read.');
  await press('Retry');
  await untilRead();
  expect(card.querySelectorAll('li')).toHaveLength(1);
});

test('a sign-out says what leaves the device, and takes it away', async () => {
  await drawCard({ state: 'paused', savedBytes: 2_000_000 }, { state: 'paused', savedBytes: 1_000_000 });
  await draw(<SignOutDialog />);
  await settle(() => startSignOut('here'));
  const dialog = document.querySelector('[role="alertdialog"]') as HTMLElement;
  expect(dialog.textContent).toContain('2 saved videos (3.0 MB) are removed from this device.');
  await press('Sign Out');
  await untilRead();
  expect((await savedStore.listAll()).videos).toEqual([]);
});

test('a sign-out that asks about waiting changes says as well what leaves the device', async () => {
  await drawCard({ state: 'paused', savedBytes: 2_000_000 });
  const favourite = { call: 'addFavourite', params: { path: 'v1' }, body: undefined, subject: null } as const;
  await outboxStore.add({ ...favourite, userId: 'ana', idempotencyKey: 'x', createdAt: Date.now() });
  await act(() => readOutbox());
  await draw(<SignOutDialog />);
  await settle(() => startSignOut('here'));
  const dialog = document.querySelector('[role="alertdialog"]') as HTMLElement;
  expect(dialog.textContent).toContain('1 change has not been sent yet.');
  expect(dialog.textContent).toContain('1 saved video (2.0 MB) is removed from this device.');
});

const video: PlayableVideo = {
  ...{ id: 'v9', path: 'sea.mp4', title: 'sea.mp4', url: '/sea', rendition: 'grid', storyboard: null },
  ...{ width: 1920, height: 1080, durationSeconds: 60, posterUrl: null, tagIds: [] },
  renditions: [
    { name: 'grid', bytes: 9_000_000, width: 960, height: 540 },
    { name: 'hd', bytes: 36_000_000, width: 1920, height: 1080 },
  ],
};

async function drawDialog(): Promise<HTMLElement> {
  keepRequest.current = ref({ kind: 'video' as const, video });
  const dialog = await draw(<KeepDialog onClose={() => {}} />);
  await untilRead();
  return dialog;
}

test('what keeping takes is said before anything is fetched, also in HD', async () => {
  const dialog = await drawDialog();
  const words = () => dialog.querySelector('[role="status"]')?.textContent;
  expect(words()).toMatch(/^1 video, 9.0 MB, .* left$/);
  await settle(() => dialog.querySelector<HTMLElement>('input[type="checkbox"]')?.click());
  expect(words()).toMatch(/^1 video, 36 MB/);
  expect((await savedStore.listAll()).videos).toEqual([]);
});

test('a channel is followed as it was chosen, although its dialog was closed while the storage was slow', async () => {
  const listed = {
    ...video,
    filename: 'sea.mp4',
    available: true,
    duration: 60,
    tags: [],
    created_at: '2026-05-01T00:00:00Z',
  };
  fakeServer({ 'GET /api/videos/by-tags': () => ({ json: { videos: [listed], total: 1, total_pages: 1 } }) });
  keepRequest.current = ref({ kind: 'filter' as const, name: 'Sea', filter: { tagIds: ['sea'], mode: 'OR' as const } });
  const dialog = await draw(<KeepDialog onClose={() => {}} />);
  await untilRead();
  await settle(() => dialog.querySelector<HTMLElement>('input[type="checkbox"]')?.click());
  release = await holdStore('saved-videos');
  await press('Keep offline');
  await settle(() => {
    keepRequest.current = null;
  });
  release();
  await untilRead();
  const followed = await facts.read('kept-filters');
  expect(followed).toEqual([
    expect.objectContaining({ tagIds: ['sea'], inHd: true, since: Date.parse(listed.created_at) }),
  ]);
  await facts.update('kept-filters', () => []);
});

test('without a network nothing new is kept, and the dialog says why', async () => {
  connection.isReachable = false;
  const dialog = await drawDialog();
  expect(dialog.textContent).toContain('Needs a connection');
  expect(button('Keep offline').disabled).toBe(true);
});

test('a browser that stores nothing says so in place of the offer', async () => {
  const card = await drawCard();
  await settle(() => {
    saved.isPossible = false;
  });
  expect(card.textContent).toContain('This browser keeps no videos: it stores nothing for long.');
});

/** The browser's word on the room: it comes when the test gives it. */
function holdRoom(): (room: StorageEstimate) => void {
  const asked: ((room: StorageEstimate) => void)[] = [];
  const estimate = () => new Promise<StorageEstimate>((resolve) => void asked.push(resolve));
  Object.defineProperty(navigator, 'storage', { value: { estimate }, configurable: true });
  return (room) => {
    for (const tell of asked.splice(0)) tell(room);
  };
}

const untilLate = () =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(limits.callTimeoutSeconds * 1000);
    await runDatabase(400);
  });

test('a browser that does not answer ends no dialog in squares: it says so, asks again, and goes on by itself', async () => {
  vi.useFakeTimers({ toFake: [...clockParts], now: Date.now() });
  const tell = holdRoom();
  const dialog = await drawDialog();
  const words = () => dialog.querySelector('[role="status"]')?.textContent;
  expect(words()).toBeUndefined();
  await untilLate();
  expect(words()).toBe('The storage of this browser has not answered yet.');
  await press('Retry');
  await untilRead();
  expect(words()).toBeUndefined();
  await untilLate();
  expect(words()).toBe('The storage of this browser has not answered yet.');
  tell({ quota: 4e9, usage: 0 });
  await untilRead();
  expect(words()).toBe('1 video, 9.0 MB, 991 MB left');
  expect(button('Keep offline').disabled).toBe(false);
  // The press of the button, too.
  release = await holdStore('saved-videos');
  await press('Keep offline');
  await untilLate();
  expect(words()).toBe('The storage of this browser has not answered yet.');
});

test('a list that is not answered is told of in the dialog and in Profile, and comes when it is', async () => {
  vi.useFakeTimers({ toFake: [...clockParts], now: Date.now() });
  await savedStore.add(savedRow({ id: 's0', videoId: 'v0', state: 'paused', checkedAt: Date.now() }));
  release = await holdStore('saved-videos');
  const dialog = await drawDialog();
  const card = await draw(<KeptCard />);
  await untilLate();
  expect(dialog.querySelector('[role="status"]')?.textContent).toBe('The list could not be read.');
  expect(card.querySelector('[role="alert"]')?.textContent).toBe('The list could not be read.Retry');
  release();
  await untilRead();
  expect(dialog.querySelector('[role="status"]')?.textContent).toMatch(/^1 video, 9.0 MB/);
  expect(card.querySelectorAll('li')).toHaveLength(1);
});

test('room that the browser does not name is told of in Profile, beside the list', async () => {
  vi.useFakeTimers({ toFake: [...clockParts], now: Date.now() });
  const tell = holdRoom();
  const card = await drawCard({ state: 'paused' });
  await untilLate();
  expect(card.querySelectorAll('li')).toHaveLength(1);
  expect(card.querySelector('[role="alert"]')?.textContent).toBe(
    'The storage of this browser has not answered yet.Retry',
  );
  await press('Retry');
  await untilRead();
  expect(card.querySelector('[role="alert"]')).toBeNull();
  tell({ quota: 4e9, usage: 0 });
  await untilRead();
  expect(card.textContent).toContain('5.0 MB of 1.0 GB');
});

test('what could not be kept is told, although the dialog was closed while the storage was slow', async () => {
  const dialog = await drawDialog();
  let refuse = () => {};
  const adding = new Promise<never>((_, reject) => {
    refuse = () => reject(new DOMException('Full', 'QuotaExceededError'));
  });
  vi.spyOn(savedStore, 'add').mockReturnValue(adding);
  expect(dialog.textContent).toContain('1 video');
  await press('Keep offline');
  await settle(() => {
    keepRequest.current = null;
  });
  await untilRead();
  expect(lateFailure.sentence).toBeNull();
  refuse();
  await untilRead();
  expect(lateFailure.sentence).toBe('Failed to keep it offline: This device has no room for it (9.0 MB).');
  lateFailure.sentence = null;
});
