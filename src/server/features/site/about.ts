import { networkInterfaces } from 'node:os';
import type { About, BackupState } from '#contract/entities/site.ts';
import type { Clock } from '../../clock.ts';
import type { Database, DatabaseAddress } from '../../database/connection.ts';
import { DatabaseBusy } from '../../database/connection.ts';
import { DatabaseDamaged } from '../../database/damage.ts';
import { describePlace } from '../../database/database-address.ts';
import { isDatabaseFull, isReadOnly } from '../../database/dialect.ts';
import type { Env } from '../../env.ts';
import { findListenAddresses } from '../../http/local-names.ts';
import type { Ffmpeg } from '../../media/ffmpeg/ffmpeg.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import type { DiskSpace } from '../../storage/disk-space.ts';
import type { Store } from '../../storage/stores/store.ts';
import type { SecureOrigin } from '../../tls/secure-origin.ts';
import { rootRepository } from '../library/root-repository.ts';
import type { DatabaseState } from './degradations.ts';
import { findDegradations } from './degradations.ts';
import type { NewestVersion } from './newest-version.ts';
import { siteRepository } from './site-repository.ts';

export interface AboutSources {
  version: string;
  clock: Clock;
  /** The start time by `clock.elapsed()`. */
  startedAt: number;
  address: DatabaseAddress;
  database: Database;
  env: Pick<Env, 'dataFolder' | 'host' | 'publicOrigin'>;
  ffmpeg: Ffmpeg;
  secureOrigin: Pick<SecureOrigin, 'names'> | null;
  diskSpace: DiskSpace;
  /** Null while all files lie in the data folder. */
  store: Store | null;
  readBackup(): Promise<BackupState>;
  newestVersion: NewestVersion;
  nodes: Pick<Nodes, 'live'>;
}

/**
 * The state of this installation, including what it lacks.
 * @param port the port it listens on; null while it does not
 */
export async function describeInstallation(sources: AboutSources, port: number | null): Promise<About> {
  const { version, clock, startedAt, address, database, env, ffmpeg, diskSpace, store } = sources;
  const program = await ffmpeg.locate();
  const confinement = await ffmpeg.confinement();
  const disk = await diskSpace.read(env.dataFolder);
  const backup = await sources.readBackup();
  return {
    version,
    update: await sources.newestVersion.read(),
    node: process.version,
    uptime_seconds: Math.round((clock.elapsed() - startedAt) / 1000),
    database: { kind: database.dialect.kind, place: describePlace(address) },
    storage: {
      kind: store === null ? 'disk' : 's3',
      folder: env.dataFolder,
      free_bytes: disk?.free ?? null,
      total_bytes: disk?.total ?? null,
      store: store === null ? null : describeStore(store),
    },
    ffmpeg: program,
    sandbox: confinement.kind === 'none' ? null : confinement.kind,
    addresses: port === null ? [] : listAddresses(sources, port),
    nodes: sources.nodes
      .live()
      .map(({ name, role, version: own, state, away }) => ({ name, role, version: own, state, away: [...away] })),
    degraded: findDegradations({
      database: await readDatabaseState(database),
      replicaFault: database.replica()?.fault ?? null,
      disk,
      dataFolder: env.dataFolder,
      store: store?.facts() ?? null,
      missingFolders: await listMissingFolders(database),
      ffmpeg: program,
      confinement,
      isRoot: process.getuid?.() === 0,
      backup,
      now: clock.now(),
    }),
    backup,
  };
}

/** The addresses as the terminal prints them, the operator's first. */
function listAddresses({ env, secureOrigin }: AboutSources, port: number): string[] {
  const { own, others } = findListenAddresses({
    host: env.host,
    port,
    interfaces: networkInterfaces(),
    names: secureOrigin?.names() ?? null,
  });
  return [...new Set([...(env.publicOrigin === undefined ? [] : [env.publicOrigin]), ...own, ...others])];
}

async function listMissingFolders({ reader }: Database): Promise<string[]> {
  // A database that cannot be read is reported on its own.
  const roots = await rootRepository.list(reader).catch(() => []);
  return roots.filter(({ isActive, missingSince }) => isActive && missingSince !== null).map(({ folder }) => folder);
}

function describeStore(store: Store): NonNullable<About['storage']['store']> {
  const { lastMs, clockOffMs, lastFailure } = store.facts();
  const sorted = [...lastMs].sort((one, other) => one - other);
  const within = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return {
    place: store.place,
    delivers_from: store.direct?.origin ?? null,
    half_within_ms: within(0.5),
    most_within_ms: within(0.99),
    clock_ahead_seconds: Math.round(clockOffMs / 1000),
    failure: lastFailure,
  };
}

/** Determined by a write that changes nothing. */
async function readDatabaseState(database: Database): Promise<DatabaseState> {
  try {
    await database.ping();
    await database.write(siteRepository.tryWrite);
    return 'sound';
  } catch (error) {
    if (error instanceof DatabaseBusy) return 'sound';
    if (error instanceof DatabaseDamaged) return 'damaged';
    if (isDatabaseFull(error)) return 'full';
    return isReadOnly(error) ? 'read-only' : 'away';
  }
}
