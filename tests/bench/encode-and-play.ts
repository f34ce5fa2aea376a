import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PickReply } from '#contract/entities/feed.ts';
import { largeVideoBytes, writeLargeVideo } from '#tests/support/media/large-video.ts';
import { listEncoders, signalAll } from '#tests/support/processes/encoders.ts';
import { startProduct } from '#tests/support/product.ts';
import { alternate } from './alternate.ts';
import { amount } from './form.ts';
import { makeHeavyLibrary } from './heavy-library.ts';
import { quantile } from './samples.ts';
import { printDuels } from './table.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
const seconds = Number(process.env.SECONDS ?? amount(8, 2));
/** Four viewers of four quadrants. */
const streams = 16;
const rangeBytes = 256 * 1024;
/** A quarter of what one lasts at 1.5 Mbit/s, which gives enough of them to count. */
const everyMs = 350;
/** Longer than all rounds take. */
const encodedSeconds = amount(600, 60);

/**
 * How long viewers wait for a range beside a running encoding, against the same server while the encoding stands still,
 * and while programs keep every processor as busy that only count, at the same lowest priority: what these cost is the
 * machine's own.
 */
export async function measureEncodeAndPlay(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  const library = join(folder, 'library');
  makeHeavyLibrary(library, { files: 2, seconds: encodedSeconds, extension: '.avi' });
  await writeLargeVideo(join(library, 'film.mp4'));
  const product = await startProduct({ libraryDirs: [library], environment: { FFMPEG_PATH: '' } });
  try {
    const url = `${product.address}${await drawAddress(product.address)}`;
    await untilEncoding();
    const [beside, peers] = await alternate(
      rounds,
      () => loadRanges(url),
      async () => {
        signalAll(listEncoders(), 'SIGSTOP');
        const peers = { idle: await loadRanges(url), counting: await besideCounting(() => loadRanges(url)) };
        signalAll(listEncoders(), 'SIGCONT');
        return peers;
      },
    );
    const p = (share: number, runs: readonly number[][]) => runs.map((latencies) => quantile(latencies, share));
    const [idle, counting] = [peers.map((peer) => peer.idle), peers.map((peer) => peer.counting)];
    printDuels(`Ranges of 256 KiB for ${streams} streams, beside an encoding of 1080 lines`, [
      { what: 'p50; peer: it stands still', product: p(0.5, beside), peer: p(0.5, idle), goal: 1.5, floor: 3 },
      { what: 'p99; peer: it stands still', product: p(0.99, beside), peer: p(0.99, idle), goal: 1.5, floor: 3 },
      {
        what: 'p99; peer: programs that only count',
        product: p(0.99, beside),
        peer: p(0.99, counting),
        goal: 1.5,
        floor: 3,
      },
    ]);
  } finally {
    await product.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function besideCounting<Result>(run: () => Promise<Result>): Promise<Result> {
  const count = () => spawn('chrt', ['--idle', '0', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' });
  const programs = Array.from({ length: availableParallelism() }, count);
  try {
    return await run();
  } finally {
    for (const program of programs) program.kill('SIGKILL');
  }
}

/** The one film that browsers play. */
async function drawAddress(address: string): Promise<string> {
  const pick = (await (await fetch(`${address}/api/video/top-left`)).json()) as PickReply;
  if (!pick.available) throw new Error(pick.message);
  return pick.url;
}

/** Processor time in hundredths of a second after which an ffmpeg is at work, and not only asked what it can do. */
const atWorkTicks = 200;
const startedWithinMs = 120_000;

async function untilEncoding(): Promise<void> {
  for (const end = performance.now() + startedWithinMs; performance.now() < end; await delay(200)) {
    for (const pid of listEncoders()) if ((await readTicks(pid)) > atWorkTicks) return;
  }
  throw new Error('No encoding has begun.');
}

async function readTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may hold spaces: state is the first, utime the twelfth, stime the thirteenth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** @returns milliseconds from the moment at which each range was due to its last byte */
async function loadRanges(url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      for (let due = performance.now() + (stream / streams) * everyMs; due < end; due += everyMs) {
        await delay(Math.max(0, due - performance.now()));
        await readRange(url, agent);
        latencies.push(performance.now() - due);
      }
    }),
  );
  agent.destroy();
  return latencies;
}

function readRange(url: string, agent: Agent): Promise<void> {
  const first = Math.floor(Math.random() * (largeVideoBytes - rangeBytes));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = get(url, { agent, headers: { range: `bytes=${first}-${first + rangeBytes - 1}` } }, (answer) => {
    if (answer.statusCode !== 206) reject(new Error(`A range was answered with ${answer.statusCode}.`));
    answer.resume().on('end', resolve).on('error', reject);
  });
  request.on('error', reject);
  return promise;
}
