import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { audienceRanks } from '#contract/rules/tag.ts';
import { systemClock } from '#server/clock.ts';
import type { Database } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import type { VideoAsked } from '#server/features/tagging/video-tags.ts';
import { tagVideo, untagVideo } from '#server/features/tagging/video-tags.ts';
import { createWriteTags } from '#server/features/tags/write-tags.ts';
import { videoRepository } from '#server/features/videos/video-repository.ts';
import { createRevisions } from '#server/http/pipeline/revision.ts';
import type { IdSets } from '#server/id-sets/id-sets.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import { RestrictedTags } from '#server/id-sets/restricted-tags.ts';
import { secureRandomBelow } from '#server/ids.ts';
import { createLog } from '#server/log.ts';
import { startPostgres } from '#tests/support/database/postgres.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { amount } from './form.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const videoCount = 1_000;
const measuredMs = amount(5_000, 300);
const counts = [1, 4, 16];
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'];

/**
 * Tag changes of a whole site by several people at once, with commits that survive a power cut, near the database and
 * far from it.
 */
export async function measureSetWrites(): Promise<void> {
  const postgres = await startPostgres(durable);
  const rows: Amount[] = [];
  await measureAt(postgres.url, 'beside the database', rows);
  const distant = await startDistance(postgres.url, 2);
  await measureAt(distant.url, '2 ms from the database', rows);
  await distant.stop();
  await postgres.stop();
  printAmounts('Tag changes of a whole site, PostgreSQL', rows);
}

async function measureAt(url: string, where: string, rows: Amount[]): Promise<void> {
  const database = openDatabase({ kind: 'postgres', url });
  await migrate(database, systemClock);
  const site = await openSite(database);
  for (const clients of counts) {
    const each = 1_000 / (await site.measure(clients));
    const [goal, floor] = clients === 1 ? [30, 100] : [12, 40];
    rows.push({ what: `${clients} at once, ${where}`, value: each, unit: 'ms a change', goal, floor });
  }
  await site.close();
  await database.close();
}

interface Site {
  /** @returns tag changes a second */
  measure(clients: number): Promise<number>;
  close(): Promise<void>;
}

async function openSite(database: Database): Promise<Site> {
  const [clock, log] = [systemClock, createLog('silent')];
  const idSets = createIdSets({ database, clock, log, randomBelow: secureRandomBelow });
  await idSets.start();
  const revisions = createRevisions(database, clock);
  const restrictedTags = new RestrictedTags({ database, revisions, idSets });
  const writeTags = createWriteTags({ database, idSets, revisions });
  const videos = await fillOnce(database, idSets);
  const places = { find: (place: string) => videoRepository.findByNumber(database.reader, videos[Number(place)] ?? 0) };
  const deps = { database, restrictedTags, writeTags, places };
  const work = async (client: number, end: number): Promise<number> => {
    let done = 0;
    for (let turn = 0; performance.now() < end || turn % 2 === 1; turn += 1) {
      const path = String((client * 61 + (turn >> 1) * 17) % videoCount);
      const asked: VideoAsked = { path, isAdmin: true, rank: audienceRanks.admin };
      if (turn % 2 === 0) await tagVideo(deps, asked, [`tag-t${client}`], false);
      else await untagVideo(deps, asked, `tag-t${client}`);
      done += 1;
    }
    return done;
  };
  return {
    async measure(clients) {
      const begun = performance.now();
      const working = Array.from({ length: clients }, (_, client) => work(client, begun + measuredMs));
      const done = (await Promise.all(working)).reduce((sum, count) => sum + count, 0);
      return (done * 1_000) / (performance.now() - begun);
    },
    close: () => idSets.stop(),
  };
}

/** Videos, and a tag for each client. @returns the numbers of the videos */
async function fillOnce(database: Database, idSets: IdSets): Promise<number[]> {
  const list = async () =>
    (await database.reader.selectFrom('videos').select('number').execute()).map((row) => row.number);
  const stored = await list();
  if (stored.length > 0) return stored;
  await idSets.write(async (transaction, changes) => {
    const root = { name: 'root', folder: '/root', kind: 'folder', active: 1, created_at: 1 } as const;
    await transaction.insertInto('library_roots').values(root).execute();
    await storeVideos(transaction, changes, videoCount);
    for (let client = 0; client < Math.max(...counts); client += 1) await storeTag(transaction, changes, `t${client}`);
  });
  return list();
}

/** A thread between this process and the database, which holds all bytes for a while. @param ms there and back */
async function startDistance(url: string, ms: number): Promise<{ url: string; stop(): Promise<void> }> {
  const target = new URL(url);
  const socket = join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const worker = new Worker(new URL(import.meta.url), { workerData: { socket, ms } });
  const [port] = await once(worker, 'message');
  target.searchParams.delete('host');
  target.host = `127.0.0.1:${port}`;
  return { url: target.href, stop: async () => void (await worker.terminate()) };
}

interface Distance {
  socket: string;
  ms: number;
}

function holdBytes({ socket, ms }: Distance): void {
  const pass = (from: Socket, to: Socket) => {
    from.setNoDelay(true);
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), ms / 2));
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
  };
  const listener = createServer((client) => {
    const database = connect(socket);
    pass(client, database);
    pass(database, client);
  });
  listener.listen(0, '127.0.0.1', () => parentPort?.postMessage((listener.address() as AddressInfo).port));
}

if (!isMainThread && workerData?.socket !== undefined) holdBytes(workerData as Distance);
