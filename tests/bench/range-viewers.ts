import { execFile } from 'node:child_process';
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { largeVideoBytes } from '#tests/support/media/large-video.ts';
import type { RangeServer } from './range-servers.ts';

/** What people watching saw. */
export interface Watching {
  ranges: number;
  /** Ranges that came later than a player's buffer lasts, or not at all. */
  stalls: number;
  slowestMs: number;
}

const streamsOfViewer = 4;
const rangeBytes = 2 * 1024 * 1024;
const mediaBitsPerSecond = 1_500_000;
const rangeLastsMs = ((rangeBytes * 8) / mediaBitsPerSecond) * 1_000;
const bufferMs = 2_000;

/**
 * Viewers with four streams each, from core 1: a range of 2 MiB of each stream whenever the one before has been played
 * at 1.5 Mbit/s.
 */
export async function watchRanges(
  { url }: RangeServer,
  { viewers, seconds }: { viewers: number; seconds: number },
): Promise<Watching> {
  const script = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)('taskset', [
    '-c',
    '1',
    process.execPath,
    script,
    url,
    String(viewers),
    String(seconds),
  ]);
  return JSON.parse(stdout) as Watching;
}

async function watch(url: string, viewers: number, seconds: number): Promise<Watching> {
  const agent = new Agent({ keepAlive: true });
  const seen: Watching = { ranges: 0, stalls: 0, slowestMs: 0 };
  const end = performance.now() + seconds * 1_000;
  const streams = Array.from({ length: viewers * streamsOfViewer }, async (_, index) => {
    for (
      let due = performance.now() + (index / (viewers * streamsOfViewer)) * rangeLastsMs;
      due < end;
      due += rangeLastsMs
    ) {
      await wait(Math.max(0, due - performance.now()));
      const isWhole = await takeRange(url, agent);
      const tookMs = performance.now() - due;
      seen.ranges += 1;
      seen.slowestMs = Math.max(seen.slowestMs, tookMs);
      if (!isWhole || tookMs > bufferMs) seen.stalls += 1;
    }
  });
  await Promise.all(streams);
  agent.destroy();
  return seen;
}

function takeRange(url: string, agent: Agent): Promise<boolean> {
  const first = Math.floor(Math.random() * (largeVideoBytes - rangeBytes));
  const headers = { range: `bytes=${first}-${first + rangeBytes - 1}` };
  return new Promise((resolve) => {
    const request = get(url, { agent, headers }, (answer) => {
      let left = rangeBytes;
      answer.on('data', (part: Buffer) => {
        left -= part.length;
      });
      answer.on('close', () => resolve(left === 0)).on('error', () => {});
    });
    request.on('error', () => resolve(false));
  });
}

if (import.meta.main) {
  const [url = '', viewers, seconds] = process.argv.slice(2);
  console.log(JSON.stringify(await watch(url, Number(viewers), Number(seconds))));
}
