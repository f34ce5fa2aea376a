import type { BackupState, Degradation } from '#contract/entities/site.ts';
import type { Confinement } from '../../media/sandbox/confinement.ts';
import type { DiskBytes } from '../../storage/disk-space.ts';
import type { StoreFacts } from '../../storage/stores/store-calls.ts';

/** The facts from which degradations are derived. */
export interface SiteState {
  database: DatabaseState;
  /** Why the replica of the database is not asked; null while it is, or without one. */
  replicaFault: string | null;
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
    describeReplica(state),
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

function describeReplica({ replicaFault }: SiteState): Degradation | null {
  if (replicaFault === null) return null;
  return {
    problem: `The replica of the database is not asked: ${replicaFault}. Lists come from the database itself.`,
    mend: 'See that the server of DATABASE_READ_URL runs, that this machine reaches it, and that it follows.',
  };
}

function describeDisk({ disk, dataFolder }: SiteState): Degradation | null {
  if (disk === null || (disk.free >= leastFree.bytes && disk.free >= disk.total * leastFree.share)) return null;
  return {
    problem: `The disk of ${dataFolder} is nearly full: ${(disk.free / gibibyte).toFixed(1)} GiB are free.`,
    mend: 'Make room on it, or move DATA_DIR to a larger one.',
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
  "See that the store runs, that this machine reaches it, and that the key of LIBRARY_URLS may list and read there (README, 'A library in a store'). It is listed again, each time later; Rescan in Administration, Library does it at once.";

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
export type DatabaseState = 'sound' | 'damaged' | 'read-only' | 'full' | 'away';
