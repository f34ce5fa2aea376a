import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { alternate } from './alternate.ts';
import { keptUp, streamsOfViewer, watchRanges } from './crowd/crowd.ts';
import { amount } from './form.ts';
import type { Load } from './range-load.ts';
import { cpuMsOf, loadRanges } from './range-load.ts';
import type { RangeServer } from './range-servers.ts';
import { startBareNode, startNginx, startProduct } from './range-servers.ts';
import { median } from './samples.ts';
import { printAmounts, printDuels } from './table.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
const seconds = Number(process.env.SECONDS ?? amount(4, 1));
/** 300 for the figure in full. */
const viewerSeconds = Number(process.env.VIEWER_SECONDS ?? amount(30, 2));

/**
 * `node tests/bench/streaming.ts`: random ranges of 1 MiB from a file of 1 GiB in the page cache, against nginx with
 * sendfile.
 */
export async function measureStreaming(): Promise<void> {
  const missing = ensureTools();
  if (missing.length > 0) {
    console.log(
      `\nStreaming was not measured: ${missing.join(', ')} missing (apt-get install -y nginx wrk util-linux gcc libc6-dev).`,
    );
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  try {
    await writeLargeVideo(join(folder, 'library', 'film.mp4'));
    for (const connections of [64, 400]) await measureAt(connections, folder);
    await measureViewers(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureAt(connections: number, folder: string): Promise<void> {
  const run = (start: (folder: string) => Promise<RangeServer>) => async () => {
    const server = await start(folder);
    try {
      return await loadRanges(server, { connections, seconds });
    } finally {
      await server.stop();
    }
  };
  const [runBare, runNginx] = [run(startBareNode), run(startNginx)];
  const [product, peers] = await alternate(rounds, run(startProduct), async () => ({
    nginx: await runNginx(),
    bare: await runBare(),
  }));
  const nginx = peers.map((peer) => peer.nginx);
  const bare = peers.map((peer) => peer.bare);
  const of = (loads: Load[], figure: (load: Load) => number) => loads.map(figure);
  const duel = (what: string, figure: (load: Load) => number, goal: number, floor: number) => ({
    what,
    product: of(product, figure),
    peer: of(nginx, figure),
    goal,
    floor,
  });
  const isMany = connections > 100;
  // On a busy machine the system shares a core by threads, and the product has more of them: then only CPU time tells.
  console.log(`\nLoad average of the machine: ${loadavg()[0]?.toFixed(1)}`);
  printDuels(
    `Random ranges of 1 MiB, ${connections} connections, against nginx (sendfile); each on core 0, wrk on core 1`,
    [
      duel('time for a GB', ({ megabytesPerSecond }) => 1e6 / megabytesPerSecond, 1.18, 1.82),
      duel('CPU time for a GB', ({ cpuMsPerGigabyte }) => cpuMsPerGigabyte, isMany ? 1.8 : 1.3, 2),
      duel('p50', ({ p50Ms }) => p50Ms, 1.5, 3),
      duel('p99', ({ p99Ms }) => p99Ms, 1.5, 3),
    ],
  );
  if (!isMany) printBareDuel(product, bare);
  printBare(bare, nginx);
  printAmounts(`The product alone, ${connections} connections`, [
    {
      what: 'memory under load',
      value: median(of(product, ({ rssMegabytes }) => rssMegabytes)),
      unit: 'MB',
      goal: 150,
      floor: 250,
    },
    {
      what: 'of it, above what it has at rest',
      value: median(of(product, ({ rssMegabytes, restMegabytes }) => rssMegabytes - restMegabytes)),
      unit: 'MB',
      goal: 60,
      floor: 120,
    },
    {
      what: 'requests that failed',
      value: Math.max(...of(product, ({ errors }) => errors)),
      unit: '',
      goal: 0,
      floor: 0,
    },
    { what: 'requests over 2 s', value: Math.max(...of(product, ({ late }) => late)), unit: '', goal: 0, floor: 0 },
    {
      what: 'slowest request',
      value: Math.max(...of(product, ({ maxMs }) => maxMs)),
      unit: 'ms',
      goal: 2_000,
      floor: 6_000,
    },
  ]);
}

/**
 * What a request pays beyond the bytes themselves: guards, headers, the check of the file. With many connections the
 * bytes are all that counts.
 */
function printBareDuel(product: readonly Load[], bare: readonly Load[]): void {
  const cpu = (loads: readonly Load[]) => loads.map(({ cpuMsPerGigabyte }) => cpuMsPerGigabyte);
  printDuels('The same, against an http server of Node with nothing but reads and writes', [
    { what: 'CPU time for a GB', product: cpu(product), peer: cpu(bare), goal: 1.2, floor: 1.4 },
  ]);
}

/** What copying costs in this runtime, whoever does it: no goal, but what the rows above can be held against. */
function printBare(bare: readonly Load[], nginx: readonly Load[]): void {
  const ratio = (figure: (load: Load) => number) =>
    `${(median(bare.map(figure)) / median(nginx.map(figure))).toFixed(2)}×`;
  console.log('For comparison, an http server of Node with nothing but reads and writes, against nginx:');
  console.log(
    `  time for a GB ${ratio(({ megabytesPerSecond }) => 1 / megabytesPerSecond)}, CPU time for a GB ${ratio(({ cpuMsPerGigabyte }) => cpuMsPerGigabyte)},`,
  );
  console.log(
    `  p99 ${ratio(({ p99Ms }) => p99Ms)}, memory ${median(bare.map(({ rssMegabytes }) => rssMegabytes)).toFixed(0)} MB`,
  );
}

/** How many can watch at once: 250 have to, 1,000 are aimed for. */
async function measureViewers(folder: string): Promise<void> {
  for (const viewers of [250, 500, 1_000]) {
    const server = await startProduct(folder);
    const before = await cpuMsOf(server.pid);
    const watching = await watchRanges(server, { viewers, seconds: viewerSeconds, folder });
    const cpuMs = (await cpuMsOf(server.pid)) - before;
    await server.stop();
    const { ranges, stalls, slowestMs, beside } = watching;
    const title = `${viewers} viewers with ${streamsOfViewer} streams of 1.5 Mbit/s each, in ranges of 2 MiB, their picks and reports`;
    if (!keptUp(watching)) {
      console.log(`\n${title}: not measured, as the generator did not keep up (${JSON.stringify(watching)}).`);
      continue;
    }
    const isFew = viewers === 250;
    printAmounts(title, [
      { what: `stalls (of ${ranges} ranges)`, value: stalls, unit: '', goal: 0, floor: isFew ? 0 : ranges },
      {
        what: 'slowest range',
        value: slowestMs,
        unit: 'ms',
        goal: 1_000,
        floor: isFew ? 2_000 : Number.POSITIVE_INFINITY,
      },
      { what: `p99 of ${beside.picks} picks`, value: beside.pickP99Ms, unit: 'ms', goal: 500, floor: 2_000 },
      { what: `p99 of ${beside.reports} reports`, value: beside.reportP99Ms, unit: 'ms', goal: 500, floor: 2_000 },
      { what: 'reports to be sent again', value: beside.postponed, unit: '', goal: 0, floor: beside.reports },
      { what: 'picks and reports that failed', value: beside.failures, unit: '', goal: 0, floor: 0 },
      {
        what: "of the server's core",
        value: (cpuMs / (viewerSeconds * 1_000)) * 100,
        unit: '%',
        goal: 60,
        floor: 100,
      },
    ]);
    console.log(`  the generator: p99 ${watching.latenessP99Ms} ms late, ${watching.cpuPercent} % of its core`);
  }
}

/** Installs what is absent where that is allowed. @returns what is still missing */
function ensureTools(): string[] {
  const tools = ['nginx', 'wrk', 'taskset', 'cc'];
  const absent = () =>
    tools.filter(
      (tool) => !['/usr/sbin', '/usr/bin', '/bin', '/usr/local/bin'].some((place) => existsSync(join(place, tool))),
    );
  if (absent().length > 0 && process.getuid?.() === 0) {
    try {
      execFileSync('apt-get', ['install', '-y', 'nginx', 'wrk', 'util-linux', 'gcc', 'libc6-dev'], { stdio: 'ignore' });
    } catch {
      // What is missing is said below.
    }
  }
  return absent();
}

if (import.meta.main) await measureStreaming();
