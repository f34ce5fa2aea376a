import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { largeVideoBytes } from '#tests/support/media/large-video.ts';
import type { RangeServer } from '../range-servers.ts';
import type { Asking } from './asking-process.ts';

const run = promisify(execFile);

/** What people watching saw, and whether the program that played them kept up. */
export interface Watching {
  ranges: number;
  /** Ranges that came later than a player's buffer lasts, or not at all. */
  stalls: number;
  /** Those of them that did not come. */
  failures: number;
  slowestMs: number;
  /** How late its requests left it, and the percentage of a core that it took. */
  latenessP99Ms: number;
  cpuPercent: number;
  /** Picks and reports beside the streams. */
  beside: Asking;
}

export const streamsOfViewer = 4;
const rangeBytes = 2 * 1024 * 1024;
const mediaBitsPerSecond = 1_500_000;
const rangeLastsMs = ((rangeBytes * 8) / mediaBitsPerSecond) * 1_000;
const bufferMs = 2_000;

/** The generator does not count where it is later than this or takes more of its core. */
const latestMs = 50;
const mostCpuPercent = 70;

/**
 * Viewers with four streams each, from core 1 and an address each: a range of 2 MiB of each stream whenever the one
 * before has been played at 1.5 Mbit/s, and their picks and reports.
 * @param folder where the generator is compiled
 */
export async function watchRanges(
  { url }: RangeServer,
  { viewers, seconds, folder }: { viewers: number; seconds: number; folder: string },
): Promise<Watching> {
  const program = join(folder, 'crowd');
  await run('cc', ['-O2', '-o', program, fileURLToPath(new URL('./crowd.c', import.meta.url))]);
  const { origin, port, pathname, search } = new URL(url);
  const asking = fork(fileURLToPath(new URL('./asking-process.ts', import.meta.url)), [
    origin,
    String(viewers),
    String(seconds),
  ]);
  const asked = once(asking, 'message') as Promise<[Asking]>;
  await run('taskset', ['--pid', '--cpu-list', '1', String(asking.pid)]);
  const values = [
    port,
    pathname + search,
    largeVideoBytes,
    viewers * streamsOfViewer,
    rangeBytes,
    rangeLastsMs,
    bufferMs,
    seconds,
  ];
  const { stdout } = await run('taskset', ['-c', '1', program, ...values.map(String)]);
  const [beside] = await asked;
  return { ...JSON.parse(stdout), beside };
}

export function keptUp({ latenessP99Ms, cpuPercent }: Watching): boolean {
  return latenessP99Ms <= latestMs && cpuPercent <= mostCpuPercent;
}
