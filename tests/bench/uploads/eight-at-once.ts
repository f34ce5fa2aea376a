import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Picks } from '#tests/abuse/picks.ts';
import { startPicks } from '#tests/abuse/picks.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { startSwift } from '#tests/support/storage/swift-store.ts';
import { alternate } from '../alternate.ts';
import { amount } from '../form.ts';
import { median, quantile } from '../samples.ts';
import { printAmounts, printDuels } from '../table.ts';
import type { SendOrder } from './sender-process.ts';
import type { Strain } from './upload-site.ts';
import { UploadSite } from './upload-site.ts';

const atOnce = 8;
const idleMs = amount(3_000, 500);
const declaredBytes = 5 * 1024 ** 3;
const sentBytes = amount(1024, 16) * 1024 ** 2;
/** 160 MB/s together: what a line of 1 Gbit/s brings, and some more. */
const bytesPerSecond = 20_000_000;

interface Round extends Strain {
  picksP99Ms: number;
}

interface MemoryBounds {
  goal: number;
  floor: number;
}

/** Eight files, 1 GiB each of 5 GiB that were declared, beside picks. */
export async function measureEightAtOnce(folder: string, rounds: number): Promise<void> {
  const site = await startSite(folder);
  const memory = { whole: { goal: 200, floor: 300 }, aboveRest: { goal: 60, floor: 120 } };
  await measureEight(site, rounds, { into: 'a disk', ...memory });
}

/** What gives way to all others: a store has a machine of its own, but for this bench. */
const storeNiceness = 19;

/** The same into OpenStack Swift on this machine. */
export async function measureEightIntoStore(folder: string, rounds: number): Promise<void> {
  const ends: (() => unknown)[] = [];
  try {
    const swift = await startSwift((end) => ends.push(end), storeNiceness);
    if (swift === null) return;
    await swift.makeBucket('films');
    const env = { STORAGE_URL: swift.url('films/bench'), STORAGE_SECRET: swift.secret, DERIVED_GB: '1' };
    const memory = { whole: { goal: 350, floor: 350 }, aboveRest: { goal: 150, floor: 170 } };
    await measureEight(await startSite(folder, env), rounds, { into: 'a store', ...memory });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function startSite(folder: string, env: Record<string, string> = {}): Promise<UploadSite> {
  return UploadSite.start(folder, { UPLOAD_QUOTA_GB: '10000', ...env }, (library) =>
    putVideos(library, ...Array.from({ length: 20 }, (_, index) => `film-${index}.mp4`)),
  );
}

/** Stops the site in the end. */
async function measureEight(
  site: UploadSite,
  rounds: number,
  { into, whole, aboveRest }: { into: string; whole: MemoryBounds; aboveRest: MemoryBounds },
): Promise<void> {
  const picks = startPicks(site.url, {});
  const measure = async (work: () => Promise<unknown>): Promise<Round> => {
    picks.take();
    await site.watch();
    await work();
    return { ...(await site.report()), picksP99Ms: p99Of(picks) };
  };
  try {
    await picks.until(20);
    const [busy, idle] = await alternate(
      rounds,
      () => measure(() => sendAll(site)),
      () => measure(() => wait(idleMs)),
    );
    const picked = (rounds: readonly Round[]) => rounds.map(({ picksP99Ms }) => picksP99Ms);
    printDuels(`Picks beside eight uploads of 20 MB/s each into ${into}, against the idle server`, [
      { what: 'p99', product: picked(busy), peer: picked(idle), goal: 3, floor: 10 },
    ]);
    const value = (rounds: readonly Round[], figure: (round: Round) => number) => median(rounds.map(figure));
    const [memory = 0, atRest = 0] = [busy, idle].map((all) => value(all, ({ rssMegabytes }) => rssMegabytes));
    const loop = value(busy, ({ loopP99Ms }) => loopP99Ms);
    printAmounts('The server meanwhile', [
      { what: 'memory', value: memory, unit: 'MB', ...whole },
      { what: 'of it, above what it has at rest', value: memory - atRest, unit: 'MB', ...aboveRest },
      { what: 'p99 of the event loop’s delay', value: loop, unit: 'ms', goal: 15, floor: 50 },
    ]);
  } finally {
    await picks.stop();
    await site.stop();
  }
}

async function sendAll(site: UploadSite): Promise<void> {
  const targets = await site.open(...Array<number>(atOnce).fill(declaredBytes));
  const order: SendOrder = { targets, declaredBytes, sentBytes, bytesPerSecond };
  const sender = fork(fileURLToPath(new URL('./sender-process.ts', import.meta.url)), [JSON.stringify(order)]);
  await once(sender, 'message');
  sender.disconnect();
  await once(sender, 'exit');
  const key = targets[0]?.key ?? '';
  await fetch(`${site.url}/api/upload/cancel/${targets[0]?.sessionId}`, {
    method: 'DELETE',
    headers: { AccessKey: key },
  });
}

function p99Of(picks: Picks): number {
  const seen = picks.take();
  if (seen.some(({ status }) => status !== 200)) throw new Error('A pick was not answered.');
  return quantile(
    seen.map(({ ms }) => ms),
    0.99,
  );
}
