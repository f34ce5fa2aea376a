import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '#contract/limits.ts';
import { usualClass } from '#contract/rules/media-needs.ts';
import type { VideoSort } from '#contract/rules/tag-filter.ts';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import type { BrowseDeps, VideoPageRequest } from '#server/features/browse/list-videos.ts';
import { readVideoPage } from '#server/features/browse/list-videos.ts';
import { createPathResolver } from '#server/features/library/library-paths.ts';
import { FreshNames } from '#server/features/search/fresh-names.ts';
import { NameIndex } from '#server/features/search/name-index.ts';
import type { VideoOrder } from '#server/features/search/video-order.ts';
import { createVideoOrders } from '#server/features/search/video-order.ts';
import { readTagPage, TagCatalogue } from '#server/features/tags/tag-catalogue.ts';
import { Favourites } from '#server/features/videos/favourites.ts';
import { VideoPlays } from '#server/features/videos/video-plays.ts';
import { createRevisions } from '#server/http/pipeline/revision.ts';
import { createMediaUrlSigner } from '#server/http/signing.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import { RestrictedTags } from '#server/id-sets/restricted-tags.ts';
import { createIds, secureRandomBelow } from '#server/ids.ts';
import { JobQueue } from '#server/jobs/job-queue.ts';
import { WorkQueue } from '#server/limits/work-queue.ts';
import { createLog } from '#server/log.ts';
import { startPostgres } from '#tests/support/database/postgres.ts';
import { measureBusyPicks, measureChangedSettings } from './busy-picks.ts';
import { libraryFolder, storeChannelLibrary, words } from './channel-library.ts';
import { amount } from './form.ts';
import { median, quantile } from './samples.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const videos = Number(process.env.VIDEOS ?? amount(1_000_000, 20_000));
const rounds = amount(200, 5);

/** Lists of channels and of their videos, and searches, as the server makes them, on both databases. */
export async function measureChannels(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  const env = { DATA_DIR: folder, LIBRARY_DIRS: libraryFolder };
  await measureOn('SQLite', { kind: 'sqlite', file: join(folder, 'fourfold.sqlite') });
  await measureBusyPicks('SQLite', env);
  await measureChangedSettings('SQLite', env);
  const postgres = await startPostgres();
  await measureOn('PostgreSQL', { kind: 'postgres', url: postgres.url });
  await measureBusyPicks('PostgreSQL', { ...env, DATABASE_URL: postgres.url });
  await measureChangedSettings('PostgreSQL', { ...env, DATABASE_URL: postgres.url });
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureOn(name: string, address: DatabaseAddress): Promise<void> {
  const database = await storeChannelLibrary(address, videos);
  const idSets = createIdSets({
    database,
    clock: systemClock,
    log: createLog('silent'),
    randomBelow: secureRandomBelow,
  });
  await idSets.start();
  const freshNames = new FreshNames(database.reader, idSets);
  const orders = createVideoOrders(database.reader, idSets);
  const filling = await measureFilling(database, freshNames);
  const ordering = await measureOrdering(orders.name);
  const deps: BrowseDeps = {
    database,
    idSets,
    favourites: new Favourites({ database, clock: systemClock }),
    restrictedTags: new RestrictedTags({ database, idSets, revisions: createRevisions(database, systemClock) }),
    tagCatalogue: new TagCatalogue(database),
    places: createPathResolver(database, { active: () => [] }),
    mediaUrls: createMediaUrlSigner(Buffer.alloc(32), systemClock),
    sources: { addressOf: () => null },
    derivedFiles: { addressOf: () => null },
    freshNames,
    orders,
    plays: new VideoPlays({ database, clock: systemClock }),
    searches: new WorkQueue({ atOnce: 1, maxWaiting: 0 }),
    encodings: { findProcessing: async () => new Map() },
  };
  const rows = [
    filling,
    ordering,
    ...(await measureTags(deps)),
    ...(await measurePages(deps)),
    ...(await measureSearches(deps)),
  ];
  printAmounts(`Channels: ${videos} videos, 2,000 channels, ${name}`, rows);
  await idSets.stop();
  await database.close();
}

/** While nobody else does anything, so half of it is rest. */
async function measureFilling(database: Database, freshNames: FreshNames): Promise<Amount> {
  const queue = new JobQueue({ database, clock: systemClock, ids: createIds(systemClock) });
  const begun = performance.now();
  await new NameIndex({ database, freshNames, clock: systemClock, queue }).fill();
  return {
    what: 'all names into the index',
    value: (performance.now() - begun) / 1_000,
    unit: 's',
    goal: 60,
    floor: 180,
  };
}

/** As after a start of the server. */
async function measureOrdering(nameOrder: VideoOrder): Promise<Amount> {
  const begun = performance.now();
  await nameOrder.catchUp();
  return { what: 'the order by name', value: (performance.now() - begun) / 1_000, unit: 's', goal: 5, floor: 15 };
}

async function measureTags(deps: BrowseDeps): Promise<Amount[]> {
  const request = { active: true, sort_by: 'name', sort_order: 'asc', page: 1, limit: 20 } as const;
  return [
    await measurePage('tags by name', () => readTagPage(deps, request, 0)),
    await measurePage('tags by videos, page 50', () =>
      readTagPage(deps, { ...request, sort_by: 'video_count', page: 50 }, 0),
    ),
    await measurePage('tags with a search', () => readTagPage(deps, { ...request, search: 'channel 12' }, 0)),
  ];
}

const everything: VideoPageRequest = {
  tagIds: [],
  blockedTagIds: [],
  mode: 'OR',
  userId: null,
  search: '',
  sort: 'newest',
  page: 1,
  limit: 20,
  audience: { viewer: 'bench', device: usualClass, rank: 0, lines: limits.gridRenditionLines, isDeviceKnown: true },
};
const lastPage = Math.ceil((videos * 0.98) / everything.limit);
const filtered = { ...everything, tagIds: ['tag-3', 'tag-40'], blockedTagIds: ['tag-1', 'tag-700'] };

async function measurePages(deps: BrowseDeps): Promise<Amount[]> {
  const page = (what: string, request: VideoPageRequest) => measurePage(what, () => readVideoPage(deps, request));
  const byName = (what: string, request: VideoPageRequest) =>
    measureSearch(what, () => readVideoPage(deps, { ...request, sort: 'name' }));
  const sorted = (what: string, sort: VideoSort, number: number) =>
    measureSearch(what, () => readVideoPage(deps, { ...everything, sort, page: number }));
  return [
    await page('all videos, first page', everything),
    await page('all videos, page 40,000', { ...everything, page: 40_000 }),
    await page('two channels and a blocklist, first page', filtered),
    await page('two channels and a blocklist, page 1,000', { ...filtered, page: 1_000 }),
    await byName('all videos by name, first page', everything),
    await byName('all videos by name, page in the middle', { ...everything, page: Math.floor(lastPage / 2) }),
    await byName('all videos by name, last page', { ...everything, page: lastPage }),
    await sorted('all videos by length, page in the middle', 'longest', Math.floor(lastPage / 2)),
    await sorted('all videos by size, last page', 'largest', lastPage),
    await sorted('all videos by playing time, page in the middle', 'played', Math.floor(lastPage / 2)),
    await page('long videos, page 1,000', { ...everything, tagIds: ['is:long'], page: 1_000 }),
    await byName('two channels by name, page 1,000', { ...filtered, page: 1_000 }),
  ];
}

async function measureSearches(deps: BrowseDeps): Promise<Amount[]> {
  const [one = '', two = '', three = ''] = [words[33], words[120], words[250]];
  const searches: [string, VideoPageRequest][] = [
    ['search: in every name', { ...everything, search: 'mp4' }],
    ['search: a part that many words have', { ...everything, search: one.slice(0, 3) }],
    ['search: one word', { ...everything, search: two }],
    ['search: three words', { ...everything, search: `${one} ${two} ${three}` }],
    ['search: two letters', { ...everything, search: two.slice(0, 2) }],
    ['search: the name of a channel', { ...everything, search: 'channel 12' }],
    ['search: in channels, by name', { ...filtered, search: one, sort: 'name' }],
    ['search: a common word, its last page', await findLastPage(deps, { ...everything, search: common })],
    [
      'search: a common word by name, its last page',
      await findLastPage(deps, { ...everything, search: common, sort: 'name' }),
    ],
    [
      'search: in every name, by name, its last page',
      await findLastPage(deps, { ...everything, search: 'mp4', sort: 'name' }),
    ],
    ['search: nothing is found', { ...everything, search: 'xyzzy' }],
  ];
  const rows: Amount[] = [];
  for (const [what, request] of searches) rows.push(await measureSearch(what, () => readVideoPage(deps, request)));
  return rows;
}

/** In some 4 % of all names: a part that many have, and a number that begins with 1. */
const common = `${words[33]?.slice(0, 3)} 1`;

async function findLastPage(deps: BrowseDeps, request: VideoPageRequest): Promise<VideoPageRequest> {
  const { total_pages: page } = await readVideoPage(deps, request);
  return { ...request, page };
}

async function measurePage(what: string, work: () => Promise<unknown>): Promise<Amount> {
  const samples = await sample(work);
  const tail = quantile(samples, 0.99).toFixed(2);
  return { what: `${what}, p50 (p99 ${tail})`, value: median(samples), unit: 'ms', goal: 1, floor: 5 };
}

/** The slow ones count: a search has many ways to be slow. */
async function measureSearch(what: string, work: () => Promise<unknown>): Promise<Amount> {
  const samples = await sample(work);
  const half = median(samples).toFixed(2);
  return { what: `${what}, p99 (p50 ${half})`, value: quantile(samples, 0.99), unit: 'ms', goal: 15, floor: 20 };
}

/** Milliseconds. */
async function sample(work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds + 10; round += 1) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  return took.slice(10);
}
