import { setTimeout as wait } from 'node:timers/promises';
import { amount } from '../form.ts';
import { median, quantile } from '../samples.ts';
import { each } from '../steady-pace.ts';
import { printAmounts } from '../table.ts';
import type { SiteOfServers } from './site-servers.ts';
import { clientAt, startServers } from './site-servers.ts';

const searchMs = amount(4_000, 300);
const floodMs = amount(20_000, 1_000);
const calmMs = amount(5_000, 500);
const saturating = 16;
/** How many times what one server can do is asked of it. */
const excess = 3;
const videoCount = 2_000;

/** One call of a stranger: what may be refused, and each fourth time the next video of somebody who plays. */
const calls = [
  '/api/videos/by-tags?search=video&sort_by=name',
  '/api/video/top-left',
  '/api/videos/by-tags?sort_by=name&page=40',
  '/api/video/first',
] as const;
const isPick = (path: string) => path === '/api/video/top-left';

const isGood = ({ status }: Seen) => status === 200 || status === 204;

interface Seen {
  path: string;
  status: number;
  ms: number;
}

/** What one server answers when three times as much is asked of it as it can do. */
export async function measureFlood(postgres: string): Promise<void> {
  const site = await startServers(postgres, { servers: 1, videos: videoCount });
  const peak = await findPeak(site);
  const flood = await floodAt(site, peak * excess);
  await wait(calmMs);
  const after = await floodAt(site, peak / 4);
  await site.stop();
  const good = flood.filter(isGood);
  const picks = flood.filter(({ path }) => isPick(path));
  const served = picks.filter(isGood).map(({ ms }) => ms);
  const perSecond = (good.length * 1_000) / floodMs;
  console.log(
    `\n${peak.toFixed(0)} calls a second saturate one server; asked for ${(peak * excess).toFixed(0)}, it answered ` +
      `${perSecond.toFixed(0)} and refused ${flood.filter(({ status }) => status === 503).length} of ${flood.length}, ` +
      `${picks.length - served.length} of ${picks.length} picks`,
  );
  printAmounts('A flood', [
    { what: 'the peak, of what is answered', value: peak / perSecond, unit: '×', goal: 1.11, floor: 1.5 },
    { what: 'p99 of picks that were served', value: quantile(served, 0.99), unit: 'ms', goal: 500, floor: 2_000 },
    {
      what: 'answers that are neither whole nor refused',
      value: flood.filter(({ status }) => ![200, 204, 429, 503].includes(status)).length,
      unit: '',
      goal: 0,
      floor: 0,
    },
    {
      what: 'median call, 5 s later at a quarter of the peak',
      value: median(after.map(({ ms }) => ms)),
      unit: 'ms',
      goal: 50,
      floor: 200,
    },
    {
      what: 'calls refused then',
      value: after.filter((one) => !isGood(one)).length,
      unit: '',
      goal: 0,
      floor: 0,
    },
  ]);
}

/** @returns how many calls a second one server answers to clients that wait for each answer */
async function findPeak(site: SiteOfServers): Promise<number> {
  const [server] = site.servers;
  if (server === undefined) throw new Error('There is no server.');
  const end = performance.now() + searchMs;
  let place = 0;
  const work = async () => {
    const client = clientAt(server);
    let done = 0;
    for (; performance.now() < end; done += 1) {
      const { status } = await client.get(calls[place % calls.length] ?? '', { 'x-forwarded-for': addressOf(place++) });
      if (status !== 200 && status !== 204) done -= 1;
    }
    client.close();
    return done;
  };
  const counts = await Promise.all(Array.from({ length: saturating }, work));
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / searchMs;
}

/** Calls that come at a steady pace, whatever becomes of those before. */
async function floodAt(site: SiteOfServers, perSecond: number): Promise<Seen[]> {
  const [server] = site.servers;
  if (server === undefined) throw new Error('There is no server.');
  const clients = Array.from({ length: saturating }, () => clientAt(server));
  const seen: Seen[] = [];
  await each(1_000 / perSecond, AbortSignal.timeout(floodMs), async (round) => {
    const path = calls[round % calls.length] ?? '';
    const begun = performance.now();
    const answer = await clients[round % clients.length]?.get(path, { 'x-forwarded-for': addressOf(round) });
    seen.push({ path, status: answer?.status ?? 0, ms: performance.now() - begun });
  });
  for (const client of clients) client.close();
  return seen;
}

/** Everybody asks a little. */
function addressOf(place: number): string {
  return `10.3.${(place >> 8) & 255}.${place & 255}`;
}
