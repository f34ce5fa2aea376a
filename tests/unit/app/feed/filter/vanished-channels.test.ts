import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { dropVanishedChannels, watchVanishedChannels } from '#app/features/feed/filter/vanished-channels.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { readSavedFilters } from '#app/state/saved-filters.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import { channel } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

const label = (name: string) => ({ id: `id-${name.toLowerCase()}`, name, color: '#3B82F6' });
const names = ['Aurora', 'Ocean'];

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  Object.assign(window, { localStorage: fakeStorage() });
  stage.library.channels = names.map((name) => channel(name));
  await stage.play();
});

afterEach(() => {
  clearFilters();
  stage.end();
});

const filterOf = (...chosen: string[]): QuadrantFilter => ({
  tagIds: chosen.map((name) => label(name).id),
  mode: 'AND',
  labels: chosen.map(label),
});
const filterBy = (...chosen: string[]) => applyFilter('top-left', filterOf(...chosen));
const idsNow = () => feed.quadrants['top-left'].filter?.tagIds;

test('a channel that is gone leaves its filter, also the saved one', async () => {
  filterBy('Ocean', 'Gone');
  await dropVanishedChannels();
  expect(idsNow()).toEqual(['id-ocean']);
  expect(readSavedFilters()['top-left']?.selectedTags).toEqual(['id-ocean']);
  expect(stage.library.asksOf('top-left').slice(-1)).toMatchObject([{ tagIds: ['id-ocean'], filterMode: 'AND' }]);
});

test('a channel that goes while the feed plays leaves its filter', async () => {
  onTestFinished(watchVanishedChannels());
  filterBy('Aurora', 'Ocean');
  stage.library.channels = [channel('Ocean')];
  changedOnServer.tags.emit();
  await vi.waitFor(() => expect(idsNow()).toEqual(['id-ocean']));
});

test('a channel that is merged or renamed while the feed plays stays in its filter as what it is now', async () => {
  onTestFinished(watchVanishedChannels());
  filterBy('Surf');
  await stage.arrive();
  const asks = stage.library.asks.length;
  stage.library.channels = [channel('Aurora'), { ...channel('Ocean'), name: 'Sea' }];
  stage.library.merged['id-surf'] = 'id-ocean';
  changedOnServer.tags.emit();
  await vi.waitFor(() => expect(feed.quadrants['top-left'].filter?.labels).toMatchObject([{ name: 'Sea' }]));
  expect([idsNow(), readSavedFilters()['top-left']?.selectedTags]).toEqual([['id-ocean'], ['id-ocean']]);
  // What plays goes on.
  expect(stage.library.asks.length).toBe(asks);
});

test('a filter goes with the last of its channels', async () => {
  filterBy('Gone');
  await dropVanishedChannels();
  expect([idsNow(), readSavedFilters()]).toEqual([undefined, {}]);
});

test('among more than a hundred, what is not listed is asked for by itself', async () => {
  stage.library.channels = Array.from({ length: 150 }, (_, at) => channel(`C${String(at).padStart(3, '0')}`));
  filterBy('C149', 'Gone', 'C001');
  await dropVanishedChannels();
  expect(idsNow()).toEqual(['id-c149', 'id-c001']);
});

test('what cannot be known now stays, and what is there is not drawn anew', async () => {
  filterBy('Ocean');
  const asks = stage.library.asks.length;
  await dropVanishedChannels();
  stage.library.channels = 'away';
  await dropVanishedChannels();
  expect([idsNow(), stage.library.asks.length]).toEqual([['id-ocean'], asks]);
});

test('a stored list drops no channel: it may have come after it', async () => {
  filterBy('Ocean', 'New');
  stage.library.channelsCachedAt = Date.now() - 60_000;
  await dropVanishedChannels();
  expect(idsNow()).toEqual(['id-ocean', 'id-new']);
});

test('the first tap checks what was saved', async () => {
  clearFilters();
  stage.end();
  stage = new FeedStage();
  Object.assign(window, { localStorage: fakeStorage() });
  stage.library.channels = names.map((name) => channel(name));
  filterBy('Ocean', 'Gone');
  await stage.play();
  await vi.dynamicImportSettled();
  await stage.arrive();
  expect(idsNow()).toEqual(['id-ocean']);
});
