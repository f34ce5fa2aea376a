import { startPostgres } from '#tests/support/database/postgres.ts';
import { alternate } from '../alternate.ts';
import { amount } from '../form.ts';
import { cpuMsOf } from '../range-load.ts';
import { median, quantile } from '../samples.ts';
import { each, pause } from '../steady-pace.ts';
import type { Amount } from '../table.ts';
import { printAmounts, printDuels } from '../table.ts';
import { measureFlood } from './flood.ts';
import type { SiteOfServers } from './site-servers.ts';
import { clientAt, signIn, startServers } from './site-servers.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
const pickMs = amount(5_000, 300);
const warmUps = amount(2, 0);
const pickersOfServer = 8;
const tagMs = amount(5_000, 300);
const taggers = 16;
const newsCount = amount(1_000, 10);
const newsAtOnce = 20;
const endedCount = amount(50, 2);
/** Between two looks whether news have come. */
const lookMs = 20;
/** Commits that survive a power cut, as a site has them. */
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'];
const connections = ['max_connections=400'];

/** Several servers of one site on one PostgreSQL: what they cost, how late they are, and what they do under a flood. */
export async function measureServers(): Promise<void> {
  const postgres = await startPostgres([...durable, ...connections]);
  try {
    // Each server reads the rows of all these videos once.
    for (const videos of [20, amount(4_000, 40)]) await measurePicks(postgres.url, videos);
    await measureTags(postgres.url);
    await measureNews(postgres.url);
    await measureFlood(postgres.url);
  } finally {
    await postgres.stop();
  }
}

/** Milliseconds of processor for a thousand picks: of two servers beside one, and of two while somebody tags. */
async function measurePicks(postgres: string, videos: number): Promise<void> {
  const [one, two] = [
    await startServers(postgres, { servers: 1, videos }),
    await startServers(postgres, { servers: 2, videos }),
  ];
  const tagId = await makeTag(two, 'picks');
  // Each server compiles what is called often, and two of them are called half as often as one.
  for (let round = 0; round < warmUps; round += 1) for (const site of [two, one, two]) await costOfPicks(site);
  const [ofTwo, ofOne] = await alternate(
    rounds,
    () => costOfPicks(two),
    () => costOfPicks(one),
  );
  const [tagged, quiet] = await alternate(
    rounds,
    () => withChanges(two, tagId, () => costOfPicks(two)),
    () => costOfPicks(two),
  );
  await one.stop();
  await two.stop();
  printDuels(`Processor for 1,000 picks from ${videos} videos: two servers, against one`, [
    { what: 'two servers', product: ofTwo, peer: ofOne, goal: 1.05, floor: 1.25 },
  ]);
  printDuels(`Processor for 1,000 picks from ${videos} videos with one tag change a second, against none`, [
    { what: 'one change a second', product: tagged, peer: quiet, goal: 1.11, floor: 1.4 },
  ]);
}

/** Picks of as many viewers as the servers can take, in turn. */
async function costOfPicks({ servers }: SiteOfServers): Promise<number> {
  const cpu = async () => (await Promise.all(servers.map(({ pid }) => cpuMsOf(pid)))).reduce((sum, ms) => sum + ms, 0);
  const [before, end] = [await cpu(), performance.now() + pickMs];
  const work = async (server: SiteOfServers['servers'][number], viewer: number) => {
    const client = clientAt(server, { 'x-forwarded-for': `10.2.0.${viewer}` });
    let done = 0;
    for (; performance.now() < end; done += 1) {
      const { status } = await client.get('/api/video/top-left', { 'x-forwarded-for': addressOf(viewer, done) });
      if (status !== 200) throw new Error(`A pick was answered with ${status}.`);
    }
    client.close();
    return done;
  };
  const counts = await Promise.all(
    servers.flatMap((server, at) =>
      Array.from({ length: pickersOfServer }, (_, viewer) => work(server, at * 64 + viewer)),
    ),
  );
  const picks = counts.reduce((sum, count) => sum + count, 0);
  return ((await cpu()) - before) / (picks / 1_000);
}

/** One address may only ask so much a second. */
function addressOf(viewer: number, round: number): string {
  return `10.2.${viewer}.${(round >> 5) & 255}`;
}

/** Does something while a video gets and loses a tag once a second. */
async function withChanges<Result>(site: SiteOfServers, tagId: string, act: () => Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const changing = each(1_000, ended.signal, async (round) => {
    await changeTag(site.keeper, { video: site.videos[1] ?? '', tagId, isAdded: round % 2 === 0 });
  });
  const result = await act();
  ended.abort();
  await changing;
  return result;
}

async function makeTag({ keeper }: SiteOfServers, name: string): Promise<string> {
  const { status, body } = await keeper.post('/api/tags', { name });
  if (status !== 201) throw new Error(`The tag was answered with ${status}: ${body}`);
  return JSON.parse(body).tag.id;
}

interface TagChange {
  video: string;
  tagId: string;
  isAdded: boolean;
}

async function changeTag(client: SiteOfServers['keeper'], { video, tagId, isAdded }: TagChange): Promise<void> {
  const path = `/api/videos/${encodeURIComponent(video)}/tags`;
  const { status, body } = isAdded
    ? await client.post(path, { tag_ids: [tagId] })
    : await client.ask('DELETE', `${path}/${tagId}`);
  if (status >= 300) throw new Error(`A change was answered with ${status}: ${body}`);
}

/** Tag changes of a whole site through one, two and four servers. */
async function measureTags(postgres: string): Promise<void> {
  const rows: Amount[] = [];
  for (const servers of [1, 2, 4]) {
    const site = await startServers(postgres, { servers, videos: 100, env: { DATABASE_POOL: '10' } });
    const ids = await Promise.all(Array.from({ length: taggers }, (_, at) => makeTag(site, `tag ${at}`)));
    const end = performance.now() + tagMs;
    const begun = performance.now();
    const work = async (tagId: string, at: number) => {
      const client = clientAt(site.servers[at % servers] ?? { address: '', pid: 0 }, site.keeper.headers);
      let done = 0;
      for (; performance.now() < end || done % 2 === 1; done += 1) {
        const video = site.videos[(at * 6 + (done >> 1)) % site.videos.length] ?? '';
        await changeTag(client, { video, tagId, isAdded: done % 2 === 0 });
      }
      client.close();
      return done;
    };
    const counts = await Promise.all(ids.map(work));
    const perSecond = (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - begun);
    rows.push({ what: `${servers} servers`, value: 1_000 / perSecond, unit: 'ms a change', goal: 10, floor: 40 });
    console.log(`${servers} servers: ${perSecond.toFixed(0)} durable tag changes a second`);
    await site.stop();
  }
  printAmounts('Tag changes of a whole site over HTTP, 16 at once, durable commits', rows);
}

/** How late another server is: with a tag of a video, and with a session that was ended. */
async function measureNews(postgres: string): Promise<void> {
  const site = await startServers(postgres, { servers: 2, videos: newsAtOnce });
  const [first, second] = site.servers;
  if (first === undefined || second === undefined) return;
  const reader = clientAt(second);
  const lateness: number[] = [];
  const tell = async (video: string, at: number) => {
    const tagId = await makeTag(site, `news ${at}`);
    for (let round = at; round < newsCount; round += newsAtOnce) {
      const isAdded = Math.floor(round / newsAtOnce) % 2 === 0;
      await changeTag(site.keeper, { video, tagId, isAdded });
      const told = performance.now();
      let looks = 0;
      const isKnown = async () => {
        // Everybody looks once, as one person may only list so much.
        const from = { 'x-forwarded-for': `10.4.${(round * 7 + at) & 255}.${looks++ & 255}` };
        const { status, body } = await reader.get(`/api/videos/by-tags?tag_ids=${tagId}`, from);
        return status === 200 && JSON.parse(body).total === (isAdded ? 1 : 0);
      };
      while (!(await isKnown())) await pause(lookMs);
      lateness.push(performance.now() - told);
    }
  };
  await Promise.all(site.videos.map(tell));
  const ends: number[] = [];
  const owner = clientAt(first);
  for (let round = 0; round < endedCount; round += 1) {
    const from = { 'x-forwarded-for': addressOf(99, round << 5) };
    const headers = { authorization: `Bearer ${await signIn(owner)}`, ...from };
    const { body: list } = await owner.get('/auth/sessions', headers);
    const session = (JSON.parse(list).sessions as { id: string; current: boolean }[]).find(({ current }) => current);
    if ((await reader.get('/auth/me', headers)).status !== 200) throw new Error('The session is not known.');
    await owner.ask('DELETE', `/auth/sessions/${session?.id}`, { headers });
    const told = performance.now();
    while ((await reader.get('/auth/me', headers)).status === 200) await pause(lookMs);
    ends.push(performance.now() - told);
  }
  reader.close();
  owner.close();
  await site.stop();
  printAmounts('How late another server knows', [
    { what: `p50 of ${lateness.length} tags`, value: median(lateness), unit: 'ms', goal: 1_000, floor: 2_000 },
    { what: `p99 of ${lateness.length} tags`, value: quantile(lateness, 0.99), unit: 'ms', goal: 2_000, floor: 4_000 },
    {
      what: `p99 of ${ends.length} ended sessions`,
      value: quantile(ends, 0.99),
      unit: 'ms',
      goal: 2_000,
      floor: 4_000,
    },
  ]);
}
