import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { AuthReply } from '#contract/entities/account.ts';
import type { Status } from '#contract/entities/feed.ts';
import type { TagReply } from '#contract/entities/tag.ts';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { createPasswordHasher } from '#server/features/users/password-hasher.ts';
import { userChangeRepository } from '#server/features/users/user-change-repository.ts';
import type { RandomBelow } from '#server/ids.ts';
import { createIds } from '#server/ids.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { S3Client } from '#server/storage/stores/s3-client.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';
import type { KnownVideo, Town } from './clients.ts';
import { Client, password, pickOn, readSession } from './clients.ts';
import type { DatabaseEvent, Fault, FinalState, FinalVideo, History } from './history.ts';
import type { NodesSite, SiteOptions } from './nodes-site.ts';
import { startNodesSite } from './nodes-site.ts';
import { Caller, now, Recorder } from './recorder.ts';

interface RunOptions extends Omit<SiteOptions, 'recorder'> {
  seed: number;
  /** How long clients work at most, in milliseconds. */
  lastsMs: number;
  /** Looked at meanwhile, with an empty final state: ends their work. */
  isEnough?(history: History): boolean;
  /** The longest that a node is frozen or cut off, in milliseconds; 0: nothing happens to the nodes. */
  faultMs: number;
  hasLargeFiles: boolean;
  /** How many clients work at once. */
  clients?: number;
  /** How long a node alone gets to remove what is left in the store, in milliseconds. */
  clearMs?: number;
  /** Planted faults begin with this signal, once people and tags are there, and end with it when work does. */
  switchFaults?: NodeJS.Signals;
}

const usualClients = 5;
const callPatienceMs = 8_000;
const lookMs = 100;
/** A condition that is not met by then is never met. */
const patienceMs = 180_000;

/** Runs a site under faults, lets it come to rest, and looks at what is left. */
export async function runHistory(options: RunOptions, atEnd: AtEnd): Promise<History> {
  const { seed, switchFaults } = options;
  const recorder = new Recorder();
  const site = await startNodesSite({ ...options, recorder }, atEnd);
  const nodes = new Map(site.nodes.map(({ name, address }) => [name, address]));
  const callerOf = (random: RandomBelow) => new Caller({ nodes, balancer: site.balancer }, random, callPatienceMs);
  const caller = callerOf(seededRandom(seed));
  const town = await settle(site, caller);
  const switchAll = () => {
    if (switchFaults !== undefined) for (const node of site.nodes) node.signal(switchFaults);
  };
  switchAll();
  const clients = Array.from({ length: options.clients ?? usualClients }, (_, at) => {
    const random = seededRandom(seed + 100 + at);
    const { hasLargeFiles } = options;
    return new Client({ caller: callerOf(random), recorder, town, random, hasLargeFiles });
  });
  const working = Promise.all(clients.map((client) => client.work()));
  await doHarm(site, options, recorder);
  town.isEnding = true;
  switchAll();
  await working;
  const activeJobs = await untilJobsEnd(site.database);
  await comeToRest(site, { caller, recorder, town }, options.clearMs ?? usualClearMs);
  const final = { ...(await readFinalState(site, town)), activeJobs };
  const { rows } = await site.database.query<DatabaseEvent>('select * from history_events order by number');
  const events = rows.map((row) => ({ ...row, number: Number(row.number) }));
  const { calls, faults, processes, uploads } = recorder;
  return { calls, faults, processes, uploads, events, final };
}

const names = ['bea', 'cleo', 'dan'];

/** People, tags, and the videos of the library. */
async function settle({ database, databaseUrl }: NodesSite, caller: Caller): Promise<Town> {
  const post = async <Reply>(path: string, body: object, token?: string): Promise<Reply> => {
    const answer = await caller.insist({ method: 'POST', path, body, token });
    if (answer.outcome !== 'done') throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer.json as Reply;
  };
  await putAccounts(databaseUrl);
  const tokens: string[] = [];
  for (const identifier of ['ada', ...names]) {
    const { access_token: token } = await post<AuthReply>('/auth/login', { identifier, password });
    tokens.push(token);
    await post('/api/users/eula/accept', {}, token);
  }
  const [admin = '', ...people] = tokens;
  const makeTags = async (what: string, count: number) => {
    const made: string[] = [];
    for (let left = count; left > 0; left -= 1)
      made.push((await post<TagReply>('/api/tags', { name: `${what} ${left}` }, admin)).tag.id);
    return made;
  };
  const { rows } = await until(async () => {
    const found = await database.query<{ id: string; path: string }>('select id, path from videos');
    return found.rows.length > 0 ? found : null;
  }, 'the library is not looked through');
  const videos = rows.map((row): KnownVideo => ({ ...row, group: null, file: null, isHere: true }));
  const [tags, groups, targets] = [await makeTags('tag', 6), await makeTags('group', 4), await makeTags('target', 2)];
  const known = { sessions: new Map<string, string>(), merged: new Map<string, string>() };
  return { admin, people, guests: names, tags, groups, targets, videos, ...known, isEnding: false };
}

/** Nobody makes the first account of a site behind a proxy without the code that its terminal shows. */
async function putAccounts(url: string): Promise<void> {
  const database = openDatabase({ kind: 'postgres', url });
  const [ids, passwordHash] = [createIds(systemClock), await createPasswordHasher().hash(password)];
  await database.write(async (transaction) => {
    for (const username of ['ada', ...names])
      await userChangeRepository.insert(transaction, {
        id: ids.long(),
        username,
        email: `${username}@example.com`,
        isEmailVerified: false,
        displayName: null,
        tier: username === 'ada' ? 'admin' : 'basic',
        passwordHash,
        createdAt: systemClock.now(),
      });
  });
  await database.close();
}

const kinds: readonly Fault['kind'][] = ['kill', 'freeze', 'cut-database', 'cut-store', 'restart', 'kill', 'freeze'];

const nothing: FinalState = {
  videos: [],
  removed: [],
  completed: new Map(),
  receiving: new Set(),
  objects: [],
  sessions: new Set(),
  activeTags: new Set(),
  activities: new Map(),
  activeJobs: [],
};

/** Something happens to one node after the other, and often to two at once; the third one is left alone. */
async function doHarm({ nodes }: NodesSite, options: RunOptions, recorder: Recorder): Promise<void> {
  const { seed, faultMs, lastsMs, isEnough = () => false } = options;
  const [random, end] = [seededRandom(seed + 2), now() + lastsMs];
  const isOver = () => now() >= end || isEnough({ ...recorder, events: [], final: nothing });
  const free = [...nodes];
  const harmOne = async () => {
    const node = free.splice(random(free.length), 1)[0];
    if (node === undefined) return;
    const ms = Math.min(1_000, faultMs) + random(faultMs);
    await node.suffer(kinds[random(kinds.length)] ?? 'kill', ms, random(2) === 0);
    free.push(node);
  };
  const harm = async () => {
    while (!isOver()) {
      await wait(Math.min(random(1_500), Math.max(0, end - now())));
      if (faultMs > 0 && !isOver()) await harmOne();
    }
  };
  await Promise.all([harm(), harm()]);
}

interface Resting {
  caller: Caller;
  recorder: Recorder;
  town: Town;
}

/** @returns jobs that do not end */
async function untilJobsEnd(database: pg.Client): Promise<string[]> {
  let active: string[] = [];
  const look = async () => {
    const statement = "select kind || ' ' || id as job from jobs where active_key is not null";
    active = (await database.query<{ job: string }>(statement)).rows.map(({ job }) => job);
    return active.length === 0 ? true : null;
  };
  await until(look, 'jobs do not end').catch(() => {});
  return active;
}

/** All nodes know what has happened; then one node alone clears up. */
async function comeToRest(site: NodesSite, resting: Resting, clearMs: number): Promise<void> {
  const { nodes, database } = site;
  const ended = resting.recorder.calls.flatMap((call) =>
    call.kind === 'sign-out' && call.outcome === 'done' ? [call.session] : [],
  );
  for (const { name, address } of nodes) {
    for (const session of new Set(ended))
      await until(
        async () => ((await readSession(resting, session, name)) === false ? true : null),
        `node ${name} does not refuse session ${session}`,
      );
    await until(async () => {
      const { rows } = await database.query<{ count: string }>('select count(*) from videos');
      const status = await fetch(`${address}/api/status`).then((reply) => reply.json() as Promise<Status>);
      return status.AvailableVideos === Number(rows[0]?.count) ? true : null;
    }, `node ${name} does not have the videos that are there`);
    for (let left = 40; left > 0; left -= 1) await pickOn(resting, name);
  }
  await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  await nodes[0]?.start();
  const isClear = async () => {
    const { rows } = await database.query<{ path: string }>(storedPaths);
    const wanted = rows.map(({ path }) => path).sort();
    return JSON.stringify(await listPaths(openStore(site))) === JSON.stringify(wanted) ? true : null;
  };
  // What is wrong then is in the final state.
  await until(isClear, '', clearMs).catch(() => {});
  await nodes[0]?.end('SIGTERM');
}

const usualClearMs = 60_000;

const storedPaths = `
  select path from videos join library_roots on root_number = library_roots.number where kind = 'uploads'
  union all select video::jsonb ->> 'path' from removed_uploads`;

async function until<Value>(look: () => Promise<Value | null>, failure: string, most = patienceMs): Promise<Value> {
  for (const end = now() + most; now() < end; await wait(lookMs)) {
    const found = await look();
    if (found !== null) return found;
  }
  throw new Error(failure);
}

const storedVideo = /videos\/(.+\/(.+)\.mp4)$/;

function openStore({ storeUrl, storeSecret }: NodesSite): S3Client {
  return new S3Client(readS3Address(storeUrl, storeSecret));
}

/** The paths of uploaded videos whose bytes lie in the store. */
async function listPaths(store: S3Client): Promise<string[]> {
  const paths: string[] = [];
  for await (const { key } of store.list('')) {
    const path = storedVideo.exec(key)?.[1];
    if (path !== undefined) paths.push(path);
  }
  return paths.sort();
}

async function readFinalState(site: NodesSite, { merged }: Town): Promise<Omit<FinalState, 'activeJobs'>> {
  const { database } = site;
  const texts = async (statement: string) => {
    const { rows } = await database.query<{ text: string }>(statement);
    return rows.map(({ text }) => text);
  };
  const files = await database.query<{ id: string; video: string | null; state: string }>(
    'select f.id, v.id as video, f.state from upload_files f left join videos v on v.number = f.video_number',
  );
  const completed = files.rows.flatMap(({ id, video }) => (video === null ? [] : [[id, video] as const]));
  const counted = await database.query<{ kind: string; subject: string; count: string }>(
    'select kind, subject, count(*) from activities group by kind, subject',
  );
  return {
    ...(await readVideos(database)),
    completed: new Map(completed),
    receiving: new Set(files.rows.flatMap(({ id, state }) => (state === 'receiving' ? [id] : []))),
    objects: await readObjects(openStore(site)),
    sessions: new Set(await texts('select id as text from sessions')),
    activeTags: new Set(await texts('select id as text from tags where active = 1')),
    activities: new Map(
      counted.rows.map(({ kind, subject, count }) => [`${kind} ${merged.get(subject) ?? subject}`, Number(count)]),
    ),
  };
}

async function readVideos(database: pg.Client): Promise<Pick<FinalState, 'videos' | 'removed'>> {
  const here = await database.query<{ id: string; path: string; kind: string; tags: string[] }>(`
    select v.id, v.path, r.kind, array(select t.id from video_tags l join tags t on t.number = l.tag_number
      where l.video_number = v.number) as tags
    from videos v join library_roots r on r.number = v.root_number`);
  const gone = await database.query<{ file: string; id: string; tags: string }>(
    `select id as file, video::jsonb ->> 'id' as id, tag_ids as tags from removed_uploads`,
  );
  return {
    videos: here.rows.map(({ id, path, kind, tags }): FinalVideo => {
      return { id, file: kind === 'uploads' ? path.slice(path.indexOf('/') + 1, path.lastIndexOf('.')) : null, tags };
    }),
    removed: gone.rows.map(({ file, id, tags }) => ({ file, id, tags: JSON.parse(tags) as string[] })),
  };
}

async function readObjects(store: S3Client): Promise<FinalState['objects']> {
  const objects: { file: string; sum: string }[] = [];
  for await (const { key } of store.list('')) {
    const file = storedVideo.exec(key)?.[2];
    if (file === undefined) continue;
    const hash = createHash('sha256');
    const found = await store.get(key, null);
    for await (const piece of found?.bytes ?? []) hash.update(piece);
    objects.push({ file, sum: hash.digest('hex') });
  }
  return objects;
}
