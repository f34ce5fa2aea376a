import { networkInterfaces } from 'node:os';
import type { About, BackupState, Degradation } from '#contract/entities/site.ts';
import type { Clock } from '../../clock.ts';
import type { Database, DatabaseAddress } from '../../database/connection.ts';
import { DatabaseBusy, describePlace } from '../../database/connection.ts';
import { DatabaseDamaged } from '../../database/damage.ts';
import { isDatabaseFull, isReadOnly } from '../../database/dialect.ts';
import type { Env } from '../../env.ts';
import { findListenAddresses } from '../../http/local-names.ts';
import type { Ffmpeg } from '../../media/ffmpeg/ffmpeg.ts';
import type { Confinement } from '../../media/sandbox/confinement.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import type { DiskBytes, DiskSpace } from '../../storage/disk-space.ts';
import type { Store } from '../../storage/stores/store.ts';
import type { StoreFacts } from '../../storage/stores/store-calls.ts';
import type { SecureOrigin } from '../../tls/secure-origin.ts';
import { rootRepository } from '../library/root-repository.ts';
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

/** The facts from which degradations are derived. */
export interface SiteState {
  database: DatabaseState;
  /** The disk of `DATA_DIR`; null while it cannot be read. */
  disk: DiskBytes | null;
  dataFolder: string;
  store: StoreFacts | null;
  /** Library folders that cannot be read. */
  missingFolders: readonly string[];
  /** Path of the ffmpeg program; null when there is none. */
  ffmpeg: string | null;
  confinement: Confinement;
  isRoot: boolean;
  backup: BackupState;
  /** Epoch milliseconds. */
  now: number;
}

/** The degradations of the site, the most severe first. */
export function findDegradations(state: SiteState): Degradation[] {
  return [
    describeDatabase(state),
    describeDisk(state),
    findStoreFault(state),
    ...state.missingFolders.map(describeMissing),
    describeBackup(state),
    state.ffmpeg === null ? noFfmpeg : describeSandbox(state),
    state.isRoot ? rootUser : null,
  ].filter((degradation) => degradation !== null);
}

const databaseFaults: Record<Exclude<DatabaseState, 'sound'>, Degradation> = {
  damaged: {
    problem: 'The database is damaged or gone: videos play as long as it can be read, and nothing is written.',
    mend: 'Stop the server and restore a backup. The log says what was found.',
  },
  'read-only': {
    problem: 'The database can only be read: nothing is written.',
    mend: 'Let the user that the server runs as write to it.',
  },
  full: {
    problem: 'The disk of the database is full: nothing is written.',
    mend: 'Make room on it.',
  },
  away: {
    problem: 'The database does not answer.',
    mend: 'Start it, or see that this machine reaches it. The server goes on by itself.',
  },
};

const noFfmpeg: Degradation = {
  problem:
    'There is no ffmpeg that works: videos have no posters and no encodings, and only what browsers play as it is plays.',
  mend: 'Install ffmpeg, or name one with FFMPEG_PATH, and start the server again.',
};

const rootUser: Degradation = {
  problem: 'The server runs as root, which it never needs.',
  mend: "Give it a user of its own (README, 'Running it for good').",
};

const gibibyte = 1024 ** 3;
const leastFree = { bytes: gibibyte, share: 0.05 };
const oldestBackupMs = 2 * 24 * 3_600_000;

function describeDatabase({ database }: SiteState): Degradation | null {
  return database === 'sound' ? null : databaseFaults[database];
}

function describeDisk({ disk, dataFolder }: SiteState): Degradation | null {
  if (disk === null || (disk.free >= leastFree.bytes && disk.free >= disk.total * leastFree.share)) return null;
  return {
    problem: `The disk of ${dataFolder} is nearly full: ${(disk.free / gibibyte).toFixed(1)} GiB are free.`,
    mend: 'Make room on it, or move DATA_DIR to a larger one.',
  };
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

const clockOffMaxMs = 5 * 60_000;

function findStoreFault({ store }: SiteState): Degradation | null {
  if (store === null) return null;
  if (store.lastFailure !== null)
    return {
      problem: `The last call to the store failed: ${store.lastFailure}`,
      mend: "See that the store runs, that this machine reaches it, and that the key of STORAGE_URL has its rights there (README, 'A store instead of a disk').",
    };
  if (Math.abs(store.clockOffMs) <= clockOffMaxMs) return null;
  return {
    problem: `The clock of this machine and that of the store are ${Math.round(Math.abs(store.clockOffMs) / 60_000)} minutes apart.`,
    mend: "Set this machine's clock by a time server.",
  };
}

function describeMissing(folder: string): Degradation {
  return {
    problem: `The library folder ${folder} cannot be read: its videos are not shown.`,
    mend: folder.startsWith('/') ? diskAdvice : storeAdvice,
  };
}

const diskAdvice =
  'Connect its disk, or let the user that the server runs as read it. It is looked for again every half minute.';

const storeAdvice =
  "See that the store runs, that this machine reaches it, and that the key of LIBRARY_URLS may list and read there (README, 'A library in a store'). It is listed again every half minute.";

function describeBackup({ backup: { folder, latest, failure }, now }: SiteState): Degradation | null {
  if (folder === null) return null;
  if (failure !== null)
    return {
      problem: `The last backup failed: ${failure.message}`,
      mend: `See that ${folder} is there, can be written to and has room.`,
    };
  if (latest === null || now - Date.parse(latest.at) <= oldestBackupMs) return null;
  return {
    problem: 'The latest backup is older than two days.',
    mend: `See that the server runs at night and that ${folder} can be written to, or make one with npm run backup.`,
  };
}

function describeSandbox({ confinement }: SiteState): Degradation | null {
  if (confinement.kind !== 'none') return null;
  const network = confinement.isolation.length > 0 ? 'it has no network' : 'it could reach the network, too';
  return {
    problem: `ffmpeg runs without a sandbox and could read what this server reads; ${network}.`,
    mend: 'Run Linux 6.2 or newer with Landlock, or install bubblewrap (bwrap), and start the server again. In a container, the engine has to allow Landlock: Docker 23, Podman 4 or newer.',
  };
}

/** `away`: the database does not reply. */
type DatabaseState = 'sound' | 'damaged' | 'read-only' | 'full' | 'away';

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
