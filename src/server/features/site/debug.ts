import type { Debug } from '#contract/entities/site.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { OpenStreams } from '../../http/open-streams.ts';
import type { Scanner } from '../library/scanner.ts';
import { measureCache } from './cache.ts';

export interface DebugSources {
  version: string;
  clock: Clock;
  /** By `clock.elapsed()`. */
  startedAt: number;
  database: Database;
  streams: OpenStreams;
  scanner: Scanner;
  folders: { cache: string };
}

export async function readDebug({ version, clock, startedAt, database, streams, scanner, folders }: DebugSources): Promise<Debug> {
  return {
    version,
    node: process.version,
    uptime_seconds: Math.round((clock.elapsed() - startedAt) / 1000),
    database: database.dialect.kind,
    storage: 'disk',
    queues: { streams: streams.size, scans: scanner.facts().isRunning ? 1 : 0 },
    cache_bytes: await measureCache(folders.cache),
  };
}
