import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { usualClass } from '#contract/rules/media-needs.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { VideoPageRequest } from '#server/features/browse/list-videos.ts';
import { readVideoPage } from '#server/features/browse/list-videos.ts';
import type { NewVideo } from '#server/features/library/library-repository.ts';
import { libraryRepository } from '#server/features/library/library-repository.ts';
import { readWords, SearchableName } from '#server/features/search/name-grams.ts';
import { nameIndexRepository } from '#server/features/search/name-index-repository.ts';
import { readTaggingPage } from '#server/features/tagging/tagging-routes.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { addTag } from '../id-sets/id-sets-library.ts';

const { services } = await startServer({}, afterFile);
const { idSets, database, nameIndex } = services;
const audience = { viewer: 'test', device: usualClass, rank: 0, lines: limits.gridRenditionLines, isDeviceKnown: true };
const everything: VideoPageRequest = {
  tagIds: [],
  blockedTagIds: [],
  mode: 'OR',
  userId: null,
  search: '',
  sort: 'newest',
  page: 1,
  limit: 20,
  audience,
};

interface ModelVideo {
  id: string;
  number: number;
  name: string;
  isTagged: boolean;
  isAvailable: boolean;
}

let stored = 0;

/** Stores videos by these file names, oldest first. */
async function addVideos(names: readonly string[]): Promise<ModelVideo[]> {
  return idSets.write(async (transaction, changes) => {
    const videos: ModelVideo[] = [];
    for (const filename of names) {
      stored += 1;
      const [id = ''] = await storeVideos(transaction, changes, 1, { id: `id-${stored}`, path: `${stored}`, filename });
      const { number } = await transaction
        .selectFrom('videos')
        .select('number')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      videos.push({ id, number, name: filename, isTagged: false, isAvailable: true });
    }
    return videos;
  });
}

async function remove(videos: readonly ModelVideo[]): Promise<void> {
  const numbers = videos.map(({ number }) => number);
  if (numbers.length === 0) return;
  await idSets.write(async (transaction, changes) => {
    await transaction.deleteFrom('videos').where('number', 'in', numbers).execute();
    for (const key of ['available', tag] as const) changes.put(key, numbers, false);
    changes.put('names', numbers, true);
  });
}

async function rename(video: ModelVideo, filename: string): Promise<void> {
  await idSets.write(async (transaction, changes) => {
    await transaction.updateTable('videos').set({ filename }).where('number', '=', video.number).execute();
    await nameIndexRepository.recordNames(transaction, changes, [{ number: video.number, was: video.name }]);
  });
  video.name = filename;
}

async function flip(video: ModelVideo, key: 'available' | number): Promise<void> {
  const isIn = key === 'available' ? !video.isAvailable : !video.isTagged;
  await idSets.write(async (transaction, changes) => {
    changes.put(key, [video.number], isIn);
    if (key === 'available')
      await transaction
        .updateTable('videos')
        .set({ available: isIn ? 1 : 0 })
        .where('number', '=', video.number)
        .execute();
  });
  if (key === 'available') video.isAvailable = isIn;
  else video.isTagged = isIn;
}

const tag = await idSets.write((transaction) => addTag(transaction));
const { id: tagId } = await database.reader
  .selectFrom('tags')
  .select('id')
  .where('number', '=', tag)
  .executeTakeFirstOrThrow();

function byName(a: ModelVideo, b: ModelVideo): number {
  const [first, second] = [nameKey(a.name), nameKey(b.name)];
  return first === second ? b.number - a.number : first < second ? -1 : 1;
}

/** All pages of a list, read in any order. */
async function listAll(request: Partial<VideoPageRequest>, limit: number, isBackwards: boolean): Promise<string[]> {
  const first = await readVideoPage(services, { ...everything, ...request, limit });
  const pages = Array.from({ length: first.total_pages }, (_, index) => index + 1);
  const ids = new Map<number, string[]>();
  for (const page of isBackwards ? pages.toReversed() : pages) {
    const { videos, total } = await readVideoPage(services, { ...everything, ...request, limit, page });
    expect(total).toBe(first.total);
    ids.set(
      page,
      videos.map(({ id }) => id),
    );
  }
  const all = pages.flatMap((page) => ids.get(page) ?? []);
  expect(all).toHaveLength(first.total);
  return all;
}

const anyName = fc
  .array(fc.constantFrom('ab', 'Ab', 'b', 'abc', 'bcd', ' ', '_', 'é', '夜'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));
const place = fc.nat();
const anyStep = fc.oneof(
  fc.record({ what: fc.constant('add' as const), names: fc.array(anyName, { minLength: 1, maxLength: 6 }) }),
  fc.record({ what: fc.constant('rename' as const), place, name: anyName }),
  fc.record({ what: fc.constantFrom('remove' as const, 'tag' as const, 'hide' as const), place }),
  fc.record({ what: fc.constant('index' as const) }),
  fc.record({ what: fc.constant('list' as const) }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

async function take(step: Exclude<Step, { what: 'list' }>, videos: ModelVideo[]): Promise<void> {
  if (step.what === 'add') videos.push(...(await addVideos(step.names)));
  else if (step.what === 'index') await nameIndex.fill();
  else {
    const at = videos.length === 0 ? -1 : step.place % videos.length;
    const video = videos[at];
    if (video === undefined) return;
    if (step.what === 'rename') await rename(video, step.name);
    else if (step.what === 'remove') await remove(videos.splice(at, 1));
    else await flip(video, step.what === 'tag' ? tag : 'available');
  }
}

describe('a list of videos', () => {
  test('has every matching video exactly once and in order, whatever was added, renamed, tagged and removed', async () => {
    const search = fc.constantFrom('', 'ab', 'bcd', 'abc b', 'é', '夜');
    const run = async (
      steps: readonly Step[],
      words: string,
      isFiltered: boolean,
      limit: number,
      isBackwards: boolean,
    ) => {
      const videos: ModelVideo[] = [];
      const reading: Promise<unknown>[] = [];
      for (const step of steps) {
        // Lists are read while the next steps are taken.
        if (step.what === 'list') reading.push(readVideoPage(services, { ...everything, sort: 'name' }));
        else await take(step, videos);
      }
      await Promise.all(reading);
      const request = { search: words, tagIds: isFiltered ? [tagId] : [] };
      const matching = videos.filter(({ name, isTagged, isAvailable }) => {
        const searchable = new SearchableName(name);
        return isAvailable && (isTagged || !isFiltered) && readWords(words).every((word) => searchable.has(word));
      });
      const newestFirst = matching.toSorted((a, b) => b.number - a.number);
      expect(await listAll({ ...request, sort: 'name' }, limit, isBackwards)).toEqual(
        matching.toSorted(byName).map(({ id }) => id),
      );
      expect(await listAll(request, limit, isBackwards)).toEqual(newestFirst.map(({ id }) => id));
      await remove(videos);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 12 }),
        search,
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        run,
      ),
      { numRuns: 25 },
    );
  });
});

function toRow(filename: string, root_number: number): NewVideo {
  const facts = { size: 1, modified_us: 1, duration_ms: null, width: null, height: null, fingerprint: null };
  const media = { container: null, video_codec: null, audio_codec: null, inode: null, reason: null };
  return {
    id: `id-${filename}`,
    root_number,
    path: filename,
    filename,
    created_at: 1,
    hidden_at: null,
    ...facts,
    ...media,
  };
}

describe('a list of many videos', () => {
  /** More than are compared with the words of a search, so that all of them count by their parts. */
  const many = limits.comparedNames + 300;
  const names = Array.from({ length: many }, (_, index) => `Wader ${String((index * 7) % many).padStart(5, '0')}.mp4`);

  test('goes on to its last page by name, by a search, and among videos to be tagged', async () => {
    await idSets.write(async (transaction, changes) => {
      const root = await transaction.selectFrom('library_roots').select('number').executeTakeFirstOrThrow();
      for (let from = 0; from < many; from += 500)
        await libraryRepository.insert(
          transaction,
          changes,
          names.slice(from, from + 500).map((filename) => toRow(filename, root.number)),
        );
    });
    // So many new videos get their places beside the lists, which do not wait for them.
    await services.orders.name.start();
    const ids = names.map((name) => `id-${name}`);
    const lastPage = Math.ceil(many / 100);
    const byNames = ids.toSorted();
    for (const isIndexed of [false, true]) {
      if (isIndexed) await nameIndex.fill();
      for (const search of ['', 'wader', 'wader .mp4']) {
        const request = { ...everything, search, limit: 100, page: lastPage };
        const found = await readVideoPage(services, { ...request, sort: 'name' });
        expect([found.total, found.videos.map(({ id }) => id)]).toEqual([many, byNames.slice((lastPage - 1) * 100)]);
        const newest = await readVideoPage(services, request);
        expect([newest.total, newest.videos.at(-1)?.id]).toEqual([many, ids[0]]);
        const tagging = { search, isUntaggedOnly: false, isUntaggedFirst: true, page: lastPage, limit: 100, audience };
        const toTag = await readTaggingPage(services, tagging);
        expect([toTag.total, toTag.videos.at(-1)?.video.id]).toEqual([many, ids[0]]);
      }
    }
  });
});
