import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SupplyRequest } from '#app/features/feed/supply/pick-request.ts';
import { pickSaved, preferSaved } from '#app/features/feed/supply/saved-source.ts';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { applyUser } from '#app/state/account.ts';
import { resetConnection } from '#app/state/connection.ts';
import { stopKeeping } from '#app/state/saved/keeping.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { savedRemoved } from '#app/state/saved/saved-state.ts';
import { resetSession } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { limits } from '#contract/limits.ts';
import { toNeedBits } from '#contract/rules/media-needs.ts';
import { facts } from '#device/device-database.ts';
import { openSavedBytes } from '#device/saved/saved-bytes.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { clockParts, fakeIndexedDb, holdStore } from '../../../device/fake-indexed-db.ts';
import { savedRow } from '../../../device/saved/saved-row.ts';
import { fakeBrowser } from '../../state/fake-browser.ts';
import { tokenOf } from '../../state/outbox/fake-api.ts';
import { person } from '../../state/people.ts';
import { feedVideo } from '../feed-video.ts';

beforeAll(fakeIndexedDb);

beforeEach(() => {
  fakeBrowser();
  vi.stubGlobal('navigator', { userAgent: 'Chrome/153', onLine: true });
  vi.stubGlobal('document', { createElement: () => ({ canPlayType: () => 'probably' }), hidden: false });
  signIn([]);
});

afterEach(async () => {
  stopKeeping();
  const { videos } = await savedStore.listAll();
  savedRemoved.emit(videos.map(({ id }) => id));
  await savedStore.remove(videos.map(({ id }) => id));
  savedNotice.playable = null;
  clearTokens();
  resetSession();
  resetConnection();
});

function signIn(blocked: string[]): void {
  const user = { ...person('pro'), id: 'ana' };
  storeTokens({ access_token: tokenOf('ana'), refresh_token: 'refresh-ana' });
  applyUser({ user: { ...user, settings: { ...user.settings, blocked_tag_ids: blocked } }, features: user.features });
}

async function save(videoId: string, fields: Partial<SavedVideo> = {}): Promise<void> {
  const holdsUntil = Date.now() + 60_000;
  const row = savedRow({ id: `s-${videoId}`, videoId, size: 10, tagIds: [], holdsUntil, ...fields });
  await savedStore.add(row);
  await (await openSavedBytes())?.write(row.id, 0, new Blob(['0123456789']));
}

const request = (fields: Partial<SupplyRequest> = {}): SupplyRequest => ({
  quadrant: 'top-left',
  filter: { tagIds: [], mode: 'OR' },
  demand: { width: 100, height: undefined, kbps: undefined, saves: undefined },
  excluded: [],
  signal: new AbortController().signal,
  ...fields,
});

async function drawMany(fields: Partial<SupplyRequest> = {}): Promise<string[]> {
  const drawn = new Set<string>();
  for (let time = 0; time < 60; time += 1) {
    const result = await pickSaved(request(fields));
    drawn.add(result.kind === 'given' ? result.video.id : result.kind);
    // A video counts as given until the next turn.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return [...drawn].sort();
}

describe('a draw', () => {
  test('gives four quadrants that ask at once four videos, and repeats when there are fewer', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await save(id);
    const drawFour = async () => {
      const results = await Promise.all(Array.from({ length: 4 }, () => pickSaved(request())));
      return results.map((result) => (result.kind === 'given' ? result.video.id : result.kind)).sort();
    };
    for (let time = 0; time < 20; time += 1) {
      expect(await drawFour()).toEqual(['a', 'b', 'c', 'd']);
      await new Promise((resolve) => setTimeout(resolve));
    }
    await savedStore.remove(['s-a', 's-b', 's-c']);
    expect(await drawFour()).toEqual(['d', 'd', 'd', 'd']);
  });

  test('gives each saved video, with the number of those that match', async () => {
    for (const id of ['a', 'b', 'c']) await save(id);
    expect(await drawMany()).toEqual(['a', 'b', 'c']);
    const given = await pickSaved(request());
    expect(given).toMatchObject({ kind: 'given', video: { url: expect.stringMatching(/^blob:/), matching: 3 } });
  });

  test('obeys filter and blocklist', async () => {
    await save('sea', { tagIds: ['sea'] });
    await save('both', { tagIds: ['sea', 'city'] });
    await save('city', { tagIds: ['city'] });
    expect(await drawMany({ filter: { tagIds: ['sea'], mode: 'OR' } })).toEqual(['both', 'sea']);
    expect(await drawMany({ filter: { tagIds: ['sea', 'city'], mode: 'AND' } })).toEqual(['both']);
    signIn(['city']);
    expect(await drawMany()).toEqual(['sea']);
  });

  test('knows the length and shape of what is saved, and which of it are favourites', async () => {
    // What was asked a moment ago is not asked again: a busy machine needs more than that moment.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await save('long', { durationSeconds: 1_201, width: 1_080, height: 1_920 });
    await save('wide', { durationSeconds: 30, width: 1_920, height: 1_080 });
    await save('unknown', { durationSeconds: null, width: null, height: null });
    expect(await drawMany({ filter: { tagIds: ['is:long'], mode: 'OR' } })).toEqual(['long']);
    expect(await drawMany({ filter: { tagIds: ['is:wide'], mode: 'OR' } })).toEqual(['wide']);
    expect(await drawMany({ filter: { tagIds: ['is:medium'], mode: 'OR' } })).toEqual(['failed']);
    const fetched = vi.fn(async (_address: string) => Response.json({ ids: ['unknown', 'wide'] }));
    vi.stubGlobal('fetch', fetched);
    expect(await drawMany({ filter: { tagIds: ['is:favourite'], mode: 'OR' } })).toEqual(['unknown', 'wide']);
    expect(await drawMany({ filter: { tagIds: ['is:favourite', 'is:short'], mode: 'AND' } })).toEqual(['wide']);
    expect(fetched.mock.calls.filter(([address]) => String(address).includes('favourites'))).toHaveLength(1);
  });

  test('avoids what is excluded as long as there are others', async () => {
    for (const id of ['a', 'b']) await save(id);
    expect(await drawMany({ excluded: ['a'] })).toEqual(['b']);
    expect(await drawMany({ excluded: ['a', 'b'] })).toEqual(['a', 'b']);
  });

  test('prefers what this device has not shown, then gives the rest, and all alike where draws are random', async () => {
    for (const id of ['a', 'b', 'c']) await save(id);
    const show = (...ids: string[]) => facts.update('shown-videos', () => ({ userId: 'ana', ids }));
    await show('a', 'c');
    expect(await drawMany()).toEqual(['b']);
    expect(await drawMany({ excluded: ['b'] })).toEqual(['a', 'c']);
    await show('a', 'b', 'c');
    expect(await drawMany()).toEqual(['a', 'b', 'c']);
    await show('a');
    settings.shuffle = 'random';
    expect(await drawMany()).toEqual(['a', 'b', 'c']);
    settings.shuffle = 'once';
    await facts.update('shown-videos', () => ({ userId: 'somebody-else', ids: ['a'] }));
    expect(await drawMany()).toEqual(['a', 'b', 'c']);
  });

  test('leaves out what is not whole, what holds no longer, and what this device does not play', async () => {
    await save('whole');
    await save('half', { savedBytes: 5, state: 'paused' });
    await save('over', { holdsUntil: Date.now() - 1 });
    await save('hevc', { needs: toNeedBits(['other-sound']) });
    expect(await drawMany()).toEqual(['whole']);
  });

  test('says whether nothing is saved, or nothing that matches', async () => {
    expect(await pickSaved(request())).toEqual({ kind: 'failed', failure: 'no-network' });
    await save('a');
    expect(await pickSaved(request({ filter: { tagIds: ['sea'], mode: 'OR' } }))).toEqual({
      kind: 'failed',
      failure: 'no-saved',
    });
  });

  test('goes on to another one when the browser has removed bytes, and marks the video', async () => {
    await save('gone');
    await (await openSavedBytes())?.remove('s-gone');
    await save('there');
    expect(await drawMany()).toEqual(['there']);
    expect((await savedStore.find('s-gone')) ?? {}).toMatchObject({ reason: 'evicted' });
  });
});

test('a pick whose very file is saved plays from here, and any other one does not', async () => {
  await save('a', { version: '1-a', rendition: 'grid' });
  const picked = (url: string, id = 'a') => ({ ...feedVideo(id), id, url, rendition: 'grid' as const });
  expect((await preferSaved(picked('/s?version=1-a'))).url).toMatch(/^blob:/);
  expect((await preferSaved(picked('/s?version=2-b'))).url).toBe('/s?version=2-b');
  expect((await preferSaved(picked('/s?version=1-a', 'b'))).url).toBe('/s?version=1-a');
  expect((await preferSaved({ ...picked('/s?version=1-a'), rendition: 'hd' })).url).toBe('/s?version=1-a');
});

test('a device that does not answer in time gives no video, and keeps none of the server back', async () => {
  await save('a');
  const release = await holdStore('saved-videos');
  vi.useFakeTimers({ toFake: [...clockParts] });
  onTestFinished(() => void vi.useRealTimers());
  const picks = Promise.allSettled([pickSaved(request()), preferSaved(feedVideo('b'))]);
  await vi.advanceTimersByTimeAsync(limits.pickTimeoutSeconds * 1000);
  release();
  expect((await picks).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
