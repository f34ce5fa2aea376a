import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { Log } from '../../../log.ts';
import type { FileReading } from '../../../media/file-reading.ts';
import { headerVersion } from '../../../media/probe.ts';
import type { Lease } from '../../../nodes/lease.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { FileVersion } from '../../../storage/open-for-reading.ts';
import type { StoredFile } from '../../../storage/storage.ts';
import { inSlices } from '../../../storage/storage.ts';
import { availabilityRepository } from '../../library/availability-repository.ts';
import { libraryRepository, toReadFacts } from '../../library/library-repository.ts';
import type { Posters } from '../../videos/posters.ts';
import { videoRepository } from '../../videos/video-repository.ts';
import { fileIdOf, isUploadedPath, videosFolder } from '../upload-file.ts';
import type { IntakeDeps } from './intake.ts';
import type { StoredUpload } from './stored-upload-repository.ts';
import { storedUploadRepository } from './stored-upload-repository.ts';
import { keptMs } from './upload-removal.ts';

interface ReconcilerDeps extends AlignDeps, StrayDeps {
  sweeps: Pick<Lease, 'isHeld'>;
  posters: Pick<Posters, 'queueCleanUp'>;
  log: Log;
}

const everyMs = 3_600_000;

/**
 * Keeps stored videos and their rows consistent, in the background, at the start and every hour.
 * One node does so for all of them.
 */
export class Reconciler {
  private readonly deps: ReconcilerDeps;
  private readonly ending = new AbortController();
  private timer: Repetition | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(deps: ReconcilerDeps) {
    this.deps = deps;
  }

  /** Starts without waiting for the first run. */
  start(): void {
    const { sweeps, log } = this.deps;
    const turn = async () => {
      if (sweeps.isHeld) await this.run().catch((err: unknown) => log.warn({ err }, 'uploads could not be compared'));
    };
    this.timer = repeat(turn, everyMs);
    void turn();
  }

  async stop(): Promise<void> {
    this.timer?.stop();
    this.ending.abort();
    await this.running.catch(() => {});
  }

  /** Runs one after another. */
  run(): Promise<void> {
    const turn = () => this.reconcile();
    this.running = this.running.then(turn, turn);
    return this.running;
  }

  private async reconcile(): Promise<void> {
    const { signal } = this.ending;
    await alignRows(this.deps, signal);
    await removeStrays(this.deps, signal);
    await this.deps.posters.queueCleanUp();
  }
}

type AlignDeps = Pick<IntakeDeps, 'database' | 'idSets' | 'clock' | 'storage' | 'rootNumber'>;

/** The number of files inspected together, and the most rows of a transaction. */
const rowsTogether = 250;

/** The results of an inspection of files, by video number. */
interface Findings {
  missing: number[];
  returned: number[];
  /** Epoch microseconds. */
  modified: Map<number, number>;
  /** Files whose headers were read by an older version, with the results of this one. */
  read: { row: StoredUpload; version: FileVersion; reading: FileReading }[];
}

/**
 * Marks uploaded videos without a file as missing until it is back: a backup may restore the
 * database without the files.
 */
async function alignRows(deps: AlignDeps, signal: AbortSignal): Promise<void> {
  // One list instead of a question for each file, which a store would take a call for.
  const listed = new Map<string, StoredFile>();
  for await (const file of deps.storage.files.list(`${videosFolder}/`)) listed.set(file.name, file);
  for (let after = 0; !signal.aborted; ) {
    const rows = await storedUploadRepository.list(deps.database.reader, deps.rootNumber(), after, rowsTogether);
    const last = rows.at(-1);
    if (last === undefined) return;
    await storeFindings(deps, await inspectRows(deps, { rows, listed }, signal));
    after = last.number;
  }
}

async function inspectRows(
  { storage }: AlignDeps,
  { rows, listed }: { rows: readonly StoredUpload[]; listed: ReadonlyMap<string, StoredFile> },
  signal: AbortSignal,
): Promise<Findings> {
  const findings: Findings = { missing: [], returned: [], modified: new Map(), read: [] };
  for (const row of rows) {
    if (signal.aborted) break;
    const name = `${videosFolder}/${row.path}`;
    // It may have been stored since the list was made.
    const version = await storage.findVersion(row, listed.get(name) ?? (await storage.files.find(name)));
    if (version === null) {
      if (!row.isMissing || row.isAvailable) findings.missing.push(row.number);
      continue;
    }
    const reading = row.headerVersion < headerVersion ? await storage.readHeaders(row) : null;
    if (reading !== null) {
      findings.read.push({ row, version, reading });
      continue;
    }
    if (version.modifiedUs !== row.modifiedUs) findings.modified.set(row.number, version.modifiedUs);
    if (row.isMissing || row.isAvailable !== row.canBeAvailable) findings.returned.push(row.number);
  }
  return findings;
}

async function storeFindings(
  { idSets, clock }: AlignDeps,
  { missing, returned, modified, read }: Findings,
): Promise<void> {
  if (missing.length + returned.length + modified.size + read.length === 0) return;
  await idSets.write(async (transaction, changes) => {
    for (const { row, version, reading } of read)
      await libraryRepository.update(transaction, changes, row, {
        size: version.size,
        modified_us: version.modifiedUs,
        fingerprint: row.fingerprint,
        ...toReadFacts(reading, { filename: row.filename, modifiedUs: null }),
        missing_since: null,
      });
    for (const [number, modifiedUs] of modified) {
      await storedUploadRepository.setModified(transaction, number, modifiedUs);
      await availabilityRepository.alignEncoded(transaction, changes, number);
    }
    if (missing.length > 0) await availabilityRepository.markMissing(transaction, changes, missing, clock.now());
    if (returned.length > 0) await availabilityRepository.markReturned(transaction, changes, returned);
  });
}

type StrayDeps = Pick<IntakeDeps, 'database' | 'sweepTime' | 'storage' | 'rootNumber'>;

/**
 * Removes stored files that belong to no video, no removed upload and no upload in progress: dead
 * processes leave them. A file that the database does not know is kept until it is older than
 * anything that could be restored: the database may come from a backup that is older than the file.
 */
async function removeStrays(deps: StrayDeps, signal: AbortSignal): Promise<void> {
  const { storage } = deps;
  const prefix = `${videosFolder}/`;
  for await (const files of inSlices(storage.files.list(prefix), inListLength)) {
    if (signal.aborted) return;
    const paths = files.map(({ name }) => name.slice(prefix.length)).filter(isUploadedPath);
    await removeStraysOf(deps, paths);
  }
}

async function removeStraysOf(deps: StrayDeps, paths: readonly string[]): Promise<void> {
  const { database, storage } = deps;
  const suspects = await findStrays(deps, database.reader, paths);
  if (suspects.known.length + suspects.unknown.length === 0) return;
  // The findings come from several reads, between which rows may have changed; nothing changes
  // while the set log is locked.
  const strays = await database.write(async (transaction) => {
    await database.dialect.holdSetLog(transaction, null);
    return findStrays(deps, transaction, [...suspects.known, ...suspects.unknown]);
  });
  for (const path of strays.known) await storage.files.remove(`${videosFolder}/${path}`);
  const before = (await deps.sweepTime.readLate()) - keptMs;
  for (const path of strays.unknown)
    if (await isOlder(deps, `${videosFolder}/${path}`, before)) await storage.files.remove(`${videosFolder}/${path}`);
}

/** Paths without an owner, split by whether an entry knows them. */
interface Strays {
  known: string[];
  unknown: string[];
}

async function findStrays({ rootNumber }: StrayDeps, executor: Executor, paths: readonly string[]): Promise<Strays> {
  const numbers = await videoRepository.findNumbersByPath(executor, rootNumber(), paths);
  const left = paths.filter((path) => !numbers.has(path));
  const { wanted, known } = await storedUploadRepository.findKnownFiles(executor, left.map(fileIdOf));
  const strays = left.filter((path) => !wanted.has(fileIdOf(path)));
  return {
    known: strays.filter((path) => known.has(fileIdOf(path))),
    unknown: strays.filter((path) => !known.has(fileIdOf(path))),
  };
}

async function isOlder({ storage }: StrayDeps, name: string, before: number): Promise<boolean> {
  const found = await storage.files.find(name).catch(() => null);
  return found !== null && found.modifiedUs < before * 1_000;
}
