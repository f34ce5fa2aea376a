import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { refuseHalfRestored } from './backup/restore-folder.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Database, DatabaseAddress, DatabaseOptions } from './database/connection.ts';
import { openDatabase, waitForDatabase } from './database/connection.ts';
import { databaseAddress } from './database/database-address.ts';
import { findBreaking, migrate } from './database/migrate.ts';
import { SweepTime } from './database/sweep-time.ts';
import type { Env } from './env.ts';
import type { Folders } from './folders.ts';
import { productFolders } from './folders.ts';
import { SentBytes } from './http/connections/sent-bytes.ts';
import type { OpenStreams } from './http/pipeline/listen.ts';
import { createOpenStreams } from './http/pipeline/listen.ts';
import type { Revisions } from './http/pipeline/revision.ts';
import { createRevisions } from './http/pipeline/revision.ts';
import type { MediaUrlSigner } from './http/signing.ts';
import { createMediaUrlSigner } from './http/signing.ts';
import type { IdSets } from './id-sets/id-sets.ts';
import { createIdSets } from './id-sets/id-sets.ts';
import { RestrictedTags } from './id-sets/restricted-tags.ts';
import type { Ids, RandomBelow } from './ids.ts';
import { createIds, secureRandomBelow } from './ids.ts';
import type { JobLane } from './jobs/job.ts';
import { JobQueue } from './jobs/job-queue.ts';
import type { RunnerTimes } from './jobs/runner.ts';
import { Runner } from './jobs/runner.ts';
import { LiveSettings } from './live-settings.ts';
import type { Log } from './log.ts';
import { Lease } from './nodes/lease.ts';
import { nodeRepository } from './nodes/node-repository.ts';
import { Nodes } from './nodes/nodes.ts';
import { SharedTexts } from './nodes/shared-texts.ts';
import { loadSecrets } from './secrets.ts';
import type { SecureOrigin, SecureOriginDeps } from './tls/secure-origin.ts';
import { openSecureOrigin } from './tls/secure-origin.ts';

/** The services that every feature needs: opened before the features, closed after them. */
export interface Foundations {
  /** The settings as they hold at the moment; see `settings`. */
  env: Env;
  settings: LiveSettings;
  version: string;
  folders: Folders;
  clock: Clock;
  ids: Ids;
  randomBelow: RandomBelow;
  log: Log;
  /** The id of this process among those that share the database. */
  node: string;
  /** The servers that share the database. */
  nodes: Nodes;
  /** The texts of the operator. */
  texts: SharedTexts;
  /** Makes the handle of what one node at a time does for the site. */
  lease(name: string, mayHold?: () => boolean): Lease;
  /** Held by the node that removes what is no longer needed. */
  sweeps: Lease;
  /** The address of the database, for code that opens a connection of its own. */
  address: DatabaseAddress;
  database: Database;
  /** The clock by which expired rows are deleted. */
  sweepTime: SweepTime;
  idSets: IdSets;
  restrictedTags: RestrictedTags;
  jobs: JobQueue;
  runner: Runner;
  revisions: Revisions;
  mediaUrls: MediaUrlSigner;
  /** The name of this site in a store that others may use as well. */
  site: string;
  streams: OpenStreams;
  sentBytes: SentBytes;
  /** Null without TLS. */
  secureOrigin: SecureOrigin | null;
  /** The start of this process, by `clock.elapsed()`. */
  startedAt: number;
  close(): Promise<void>;
}

/** Replacements for the real services, in tests. */
export type FoundationOverrides = Partial<Pick<Foundations, 'clock' | 'ids' | 'randomBelow'>> & {
  folders?: Partial<Folders>;
  /** The time that writes wait for the database. */
  database?: Pick<DatabaseOptions, 'writePatienceMs'>;
  /** The intervals and waiting times of the job runner. */
  jobTimes?: Partial<RunnerTimes>;
  readHost?: SecureOriginDeps['readHost'];
};

/**
 * Opens and migrates the database, and loads the id sets. Jobs do not run yet.
 * @throws RestoreRefused for a data folder that is half restored
 * @throws NodeRefused beside a server that this one would harm
 */
export async function openFoundations(
  env: Env,
  log: Log,
  version: string,
  overrides: FoundationOverrides = {},
): Promise<Foundations> {
  const clock = overrides.clock ?? systemClock;
  const startedAt = clock.elapsed();
  const ids = overrides.ids ?? createIds(clock);
  const randomBelow = overrides.randomBelow ?? secureRandomBelow;
  refuseHalfRestored(env.dataFolder);
  await mkdir(env.dataFolder, { recursive: true });
  const secureOrigin = await openSecureOrigin(env, { clock, log, readHost: overrides.readHost });
  const address = databaseAddress(env);
  const database = openSiteDatabase(address, log, { clock, ...overrides.database });
  await waitForDatabase({ database, clock, log });
  const node = ids.short();
  const { settings, secrets, nodes, texts } = await joinSite({ env, log, version, clock, ids, database, node });
  settings.start();
  const sweepTime = new SweepTime({ database, clock });
  const lease: Foundations['lease'] = (name, mayHold) =>
    new Lease(name, { database, clock, log, owner: node }, mayHold);
  const sweeps = lease('sweeps', () => env.role !== 'web');
  const idSets = createIdSets({ database, clock, log, randomBelow, keeper: lease('sets-keeper') });
  await idSets.start();
  const revisions = createRevisions(database, clock);
  const jobs = new JobQueue({
    ...{ database, clock, ids },
    runsHere: env.role !== 'web',
    runsElsewhere: (kind) => nodes.runs(kind),
  });
  return {
    env: settings.env,
    settings,
    version,
    folders: { ...productFolders(env), ...overrides.folders },
    clock,
    ids,
    randomBelow,
    log,
    node,
    nodes,
    texts,
    lease,
    sweeps,
    address,
    database,
    sweepTime,
    idSets,
    restrictedTags: new RestrictedTags({ database, revisions, idSets }),
    jobs,
    runner: new Runner({
      queue: jobs,
      database,
      clock,
      sweepTime,
      ids,
      log,
      places: { ...jobPlaces(), ...env.jobPlaces },
      times: overrides.jobTimes ?? {},
    }),
    revisions,
    mediaUrls: createMediaUrlSigner(secrets.mediaUrls, clock),
    site: secrets.site,
    streams: createOpenStreams(),
    sentBytes: new SentBytes(clock),
    secureOrigin,
    startedAt,
    async close() {
      settings.stop();
      texts.stop();
      secureOrigin?.close();
      await Promise.all([idSets.stop(), sweeps.stop()]);
      await nodes.stop();
      await database.close();
    },
  };
}

function openSiteDatabase(address: DatabaseAddress, log: Log, options: DatabaseOptions): Database {
  return openDatabase(address, {
    onDamage: (err) =>
      log.error(
        { err },
        'the database is damaged or gone: videos are picked as long as it can be read, and nothing is written',
      ),
    onFault: (err) => log.warn({ err }, 'the files of the database cannot be looked after at the moment'),
    ...options,
  });
}

/**
 * Migrates the database and takes this server among those of the site. One that would do harm has
 * changed nothing.
 * @throws NodeRefused
 */
async function joinSite({
  env,
  log,
  version,
  clock,
  ids,
  database,
  node,
}: Pick<Foundations, 'env' | 'log' | 'version' | 'clock' | 'ids' | 'database' | 'node'>) {
  // A database without nodes has none to harm.
  const isShared = await nodeRepository.exists(database.reader);
  if (!isShared) await migrate(database, clock);
  const secrets = await loadSecrets(database, clock);
  const settings = new LiveSettings({ env, database, key: secrets.settings, log });
  await settings.catchUp();
  const nodes = new Nodes({ env: settings.env, database, log, ids, id: node, version });
  if (isShared) {
    await nodes.check(await findBreaking(database));
    await migrate(database, clock);
  }
  await nodes.join();
  const texts = new SharedTexts({ database, clock, log, folder: env.dataFolder });
  await texts.start();
  return { settings, secrets, nodes, texts };
}

/**
 * Media jobs leave half of the processors to viewers. Encodings run one at a time, since each uses
 * several processors. Of the light ones, a scan and a search for duplicates may each take hours.
 */
function jobPlaces(): Record<JobLane, number> {
  return { media: Math.max(1, Math.floor(availableParallelism() / 2)), encode: 1, between: 1, light: 3 };
}
