import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { usualClass } from '#contract/rules/media-needs.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { SweepTime } from '#server/database/sweep-time.ts';
import { VideoPicker } from '#server/features/feed/pick.ts';
import { mergeKind, mergeTag } from '#server/features/tags/changes/merge-tags.ts';
import { undoChange, undoKind } from '#server/features/tags/changes/undo-change.ts';
import { tagEdits } from '#server/features/tags/edit-tags.ts';
import { TagCatalogue } from '#server/features/tags/tag-catalogue.ts';
import { alignmentKind, createTagRemoval } from '#server/features/tags/tag-removal.ts';
import { createWriteTags } from '#server/features/tags/write-tags.ts';
import { Favourites } from '#server/features/videos/favourites.ts';
import { createRevisions } from '#server/http/pipeline/revision.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import { RestrictedTags } from '#server/id-sets/restricted-tags.ts';
import { createIds, secureRandomBelow } from '#server/ids.ts';
import { JobQueue } from '#server/jobs/job-queue.ts';
import { Runner } from '#server/jobs/runner.ts';
import { createLog } from '#server/log.ts';
import { startPostgres } from '#tests/support/database/postgres.ts';
import { amount } from './form.ts';
import { each, pause } from './steady-pace.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const videos = amount(1_000_000, 10_000);
const picksPerSecond = amount(100, 10);
const [going, staying, blocked] = ['going', 'staying', 'blocked'];

/** A channel on half of the videos is deleted and merged, and both are undone, while picks go on; on both databases. */
export async function measureCurating(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  await measureOn('SQLite', { kind: 'sqlite', file: join(folder, 'library.sqlite') });
  rmSync(folder, { recursive: true, force: true });
  const postgres = await startPostgres();
  await measureOn('PostgreSQL', { kind: 'postgres', url: postgres.url });
  await postgres.stop();
}

async function measureOn(name: string, address: DatabaseAddress): Promise<void> {
  const database = await storeLibrary(address);
  const site = await openSite(database);
  const rows: Amount[] = [];
  for (const [what, act] of Object.entries(acts)) rows.push(...(await measureAct(site, what, () => act(site))));
  printAmounts(`Curating: ${videos.toLocaleString('en')} videos, a channel with half of them, ${name}`, rows);
  await site.close();
}

type Site = Awaited<ReturnType<typeof openSite>>;

async function openSite(database: Database) {
  const log = createLog('silent');
  const clock = systemClock;
  const idSets = createIdSets({ database, clock, log, randomBelow: secureRandomBelow });
  await idSets.start();
  const ids = createIds(clock);
  const jobs = new JobQueue({ database, clock, ids });
  const revisions = createRevisions(database, clock);
  const tagRemoval = createTagRemoval({ idSets, queue: jobs, clock });
  const writeTags = createWriteTags({ database, idSets, revisions });
  const deps = { database, idSets, clock, ids, jobs, tagRemoval, writeTags, tagCatalogue: new TagCatalogue(database) };
  tagRemoval.open();
  for (const kind of [alignmentKind(idSets), mergeKind(deps), undoKind(deps)]) jobs.register(kind);
  const runner = new Runner({
    queue: jobs,
    database,
    clock,
    sweepTime: new SweepTime({ database, clock }),
    ids,
    log,
    places: { media: 1, encode: 1, between: 1, light: 2 },
  });
  runner.start();
  return {
    ...deps,
    picker: new VideoPicker({
      ...{ database, idSets, revisions, clock, randomBelow: secureRandomBelow, rounds: null },
      favourites: new Favourites({ database, clock }),
      restrictedTags: new RestrictedTags({ database, revisions, idSets }),
    }),
    async close() {
      await runner.stop();
      await idSets.stop();
      await database.close();
    },
  };
}

const acts: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'it is deleted': (site) => tagEdits.delete(site, going, { userId: 'bench', rank: audienceRanks.admin }),
  'that is undone': undoLatest,
  'it is merged': (site) => mergeTag(site, { fromId: going, intoId: staying, actorId: 'bench' }),
  'the merge is undone': undoLatest,
};

async function undoLatest(site: Site): Promise<void> {
  const latest = site.database.reader.selectFrom('tag_changes').select('id').orderBy('number', 'desc').limit(1);
  await undoChange(site, (await latest.executeTakeFirstOrThrow()).id, 'bench');
}

async function measureAct(site: Site, what: string, act: () => Promise<unknown>): Promise<Amount[]> {
  const stop = new AbortController();
  const picks = each(1_000 / picksPerSecond, stop.signal, () => pickOne(site.picker));
  await pause(500);
  const begun = performance.now();
  await act();
  const saidMs = performance.now() - begun;
  while (await isBusy(site.database)) await pause(20);
  const doneSeconds = (performance.now() - begun) / 1_000;
  stop.abort();
  return [
    { what: `${what}: answered`, value: saidMs, unit: 'ms', goal: 50, floor: 500 },
    { what: `${what}: all links, in the background`, value: doneSeconds, unit: 's', goal: 60, floor: 180 },
    {
      what: `slowest of ${picksPerSecond} picks/s meanwhile`,
      value: Math.max(...(await picks)),
      unit: 'ms',
      goal: 50,
      floor: 200,
    },
  ];
}

async function pickOne(picker: VideoPicker): Promise<void> {
  const request = { tagIds: [], blockedTagIds: [blocked], mode: 'OR', exclude: [], userId: null } as const;
  const pick = await picker.pick(request, { device: usualClass, rank: 0 });
  if (pick.kind !== 'picked') throw new Error('nothing was picked');
}

async function isBusy(database: Database): Promise<boolean> {
  const active = database.reader.selectFrom('jobs').select('id').where('active_key', 'is not', null).limit(1);
  return (await active.executeTakeFirst()) !== undefined;
}

/** A tag on every second video, one on every fourth of those, and one on every tenth that viewers have blocked. */
async function storeLibrary(address: DatabaseAddress): Promise<Database> {
  const database = openDatabase(address);
  await migrate(database, systemClock);
  await database.write(async (transaction) => {
    await sql`insert into library_roots (name, folder, kind, active, created_at) values ('root', '/root', 'folder', 1, 1)`.execute(
      transaction,
    );
    await sql`insert into videos (id, root_number, path, filename, size, modified_us, available, created_at)
      with recursive counted (n) as (select cast(1 as bigint) union all select n + 1 from counted where n < ${sql.lit(videos)})
      select 'video-' || n, 1, n || '.mp4', n || '.mp4', 1, 1, 1, 1 from counted`.execute(transaction);
    for (const [id, every, from] of [
      [going, 2, 1],
      [staying, 8, 1],
      [blocked, 10, 0],
    ] as const) {
      await sql`insert into tags (id, name, name_key, description, color, active, created_at)
        values (${id}, ${id}, ${id}, '', '#000000', 1, 1)`.execute(transaction);
      await sql`insert into video_tags (video_number, tag_number)
        select number, (select number from tags where id = ${id}) from videos
        where number % ${sql.lit(every)} = ${sql.lit(from)}`.execute(transaction);
    }
  });
  await database.write((transaction) => sql`analyze`.execute(transaction));
  return database;
}
