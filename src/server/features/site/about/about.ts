import { networkInterfaces } from 'node:os';
import type { About, BackupState } from '#contract/entities/site/about.ts';
import type { Clock } from '../../../clock.ts';
import type { Database, DatabaseAddress } from '../../../database/connection.ts';
import { describePlace } from '../../../database/connection.ts';
import type { Env } from '../../../env.ts';
import { findListenAddresses } from '../../../http/addresses/listen-addresses.ts';
import type { Ffmpeg } from '../../../media/ffmpeg/ffmpeg.ts';
import type { DiskSpace } from '../../../storage/disk-space.ts';
import type { SecureOrigin } from '../../../tls/secure-origin.ts';
import { readRoots } from '../../library/paths/root-repository.ts';
import { readDatabaseState } from './database-state.ts';
import { findDegradations } from './degradations.ts';

export interface AboutSources {
  version: string;
  clock: Clock;
  /** By `clock.elapsed()`. */
  startedAt: number;
  address: DatabaseAddress;
  database: Database;
  env: Pick<Env, 'dataFolder' | 'host' | 'publicOrigin'>;
  ffmpeg: Ffmpeg;
  secureOrigin: Pick<SecureOrigin, 'names'> | null;
  diskSpace: DiskSpace;
  readBackup(): Promise<BackupState>;
}

/** What runs here, and what it has to do without. @param port where it listens; null while it does not */
export async function readAbout(sources: AboutSources, port: number | null): Promise<About> {
  const { version, clock, startedAt, address, database, env, ffmpeg, diskSpace } = sources;
  const program = await ffmpeg.locate();
  const confinement = await ffmpeg.confinement();
  const disk = await diskSpace.read(env.dataFolder);
  const backup = await sources.readBackup();
  return {
    version,
    node: process.version,
    uptime_seconds: Math.round((clock.elapsed() - startedAt) / 1000),
    database: { kind: database.dialect.kind, place: describePlace(address) },
    storage: {
      kind: 'disk',
      folder: env.dataFolder,
      free_bytes: disk?.free ?? null,
      total_bytes: disk?.total ?? null,
    },
    ffmpeg: program,
    sandbox: confinement.kind === 'none' ? null : confinement.kind,
    addresses: port === null ? [] : listAddresses(sources, port),
    degraded: findDegradations({
      database: await readDatabaseState(database),
      disk,
      dataFolder: env.dataFolder,
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

/** As the terminal prints them; the one that the operator has named comes first. */
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
  // A database that cannot be read is a line of its own.
  const roots = await readRoots(reader).catch(() => []);
  return roots.filter(({ isActive, missingSince }) => isActive && missingSince !== null).map(({ folder }) => folder);
}
