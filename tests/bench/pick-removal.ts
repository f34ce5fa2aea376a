import Sqlite from 'better-sqlite3';
import { usualClass } from '#contract/rules/media-needs.ts';
import { systemClock } from '#server/clock.ts';
import type { Database } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { SweepTime } from '#server/database/sweep-time.ts';
import { VideoPicker } from '#server/features/feed/pick.ts';
import { createTagRemoval } from '#server/features/tags/tag-removal.ts';
import { Favourites } from '#server/features/videos/favourites.ts';
import { createRevisions } from '#server/http/pipeline/revision.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import { RestrictedTags } from '#server/id-sets/restricted-tags.ts';
import { createIds, secureRandomBelow } from '#server/ids.ts';
import { JobQueue } from '#server/jobs/job-queue.ts';
import { Runner } from '#server/jobs/runner.ts';
import { createLog } from '#server/log.ts';
import { amount } from './form.ts';
import { each, pause } from './steady-pace.ts';
import type { StoredLibrary } from './stored-library.ts';
import type { Amount } from './table.ts';

const goingId = 'going';
const picksPerSecond = amount(400, 20);
const betweenWritesMs = 20;

/**
 * A tag on every second video goes for good, while picks and writes go on. The library has rows and links; its sets are
 * built at the start.
 */
export async function measureRemoval(
  library: StoredLibrary,
  videos: number,
  blocked: readonly number[],
): Promise<Amount[]> {
  storeGoingTag(library);
  const database = openDatabase({ kind: 'sqlite', file: library.file });
  const log = createLog('silent');
  const idSets = createIdSets({ database, clock: systemClock, log, randomBelow: secureRandomBelow });
  await idSets.start();
  const ids = createIds(systemClock);
  const queue = new JobQueue({ database, clock: systemClock, ids });
  const removal = createTagRemoval({ idSets, queue, clock: systemClock });
  removal.open();
  const runner = new Runner({
    queue,
    database,
    clock: systemClock,
    sweepTime: new SweepTime({ database, clock: systemClock }),
    ids,
    log,
    places: { media: 1, encode: 1, between: 1, light: 1 },
  });
  runner.start();

  const revisions = createRevisions(database, systemClock);
  const picker = new VideoPicker({
    database,
    idSets,
    favourites: new Favourites({ database, clock: systemClock }),
    restrictedTags: new RestrictedTags({ database, revisions, idSets }),
    rounds: null,
    clock: systemClock,
    randomBelow: secureRandomBelow,
  });

  const stop = new AbortController();
  const picks = each(1_000 / picksPerSecond, stop.signal, () => pickUnblocked(picker, blocked));
  const writes = oneAfterAnother(stop.signal, (round) => writeSetting(database, round));
  const begun = performance.now();
  await removal.remove(goingId, null);
  const goneMs = performance.now() - begun;
  while (await isThere(database)) await pause(5);
  const removedMs = performance.now() - begun;
  stop.abort();
  const [slowestPick, slowestWrite] = [Math.max(...(await picks)), Math.max(...(await writes))];
  await runner.stop();
  await idSets.stop();
  await database.close();
  const what = `a tag with ${(videos / 2).toLocaleString('en')} links goes`;
  return [
    { what: `${what}: for everybody`, value: goneMs, unit: 'ms', goal: 300, floor: 1_000 },
    { what: `${what}: its links, in the background`, value: removedMs, unit: 'ms', goal: 300, floor: 10_000 },
    { what: `slowest of ${picksPerSecond} picks/s meanwhile`, value: slowestPick, unit: 'ms', goal: 50, floor: 200 },
    { what: 'slowest write meanwhile', value: slowestWrite, unit: 'ms', goal: 50, floor: 200 },
  ];
}

function storeGoingTag({ file }: StoredLibrary): void {
  const database = new Sqlite(file);
  database.pragma('synchronous = off');
  database.exec(`insert into tags (id, name, name_key, description, color, active, created_at) values ('${goingId}', '${goingId}', '${goingId}', '', '#000000', 1, 1);
    insert into video_tags (video_number, tag_number) select number, (select number from tags where id = '${goingId}') from videos where number % 2 = 1`);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** What a viewer with a blocklist waits for. */
async function pickUnblocked(picker: VideoPicker, blocked: readonly number[]): Promise<void> {
  const blockedTagIds = blocked.map((number) => `tag-${number}`);
  const request = { tagIds: [], blockedTagIds, mode: 'OR', exclude: [], userId: null } as const;
  const pick = await picker.pick(request, { device: usualClass, rank: 0 });
  if (pick.kind !== 'picked') throw new Error('nothing was picked');
}

async function writeSetting(database: Database, round: number): Promise<void> {
  await database.write((transaction) =>
    transaction
      .insertInto('settings')
      .values({ name: 'bench', value: String(round), updated_at: round })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(round) }))
      .execute(),
  );
}

/** @returns milliseconds that each took */
async function oneAfterAnother(signal: AbortSignal, work: (round: number) => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  while (!signal.aborted) {
    const begun = performance.now();
    await work(took.length);
    took.push(performance.now() - begun);
    await pause(betweenWritesMs);
  }
  return took;
}

async function isThere(database: Database): Promise<boolean> {
  return (
    (await database.reader.selectFrom('tags').select('number').where('id', '=', goingId).executeTakeFirst()) !==
    undefined
  );
}
