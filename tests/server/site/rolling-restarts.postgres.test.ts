import { createHash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { uploadSessionSchema } from '#contract/entities/upload.ts';
import { pause } from '#tests/bench/steady-pace.ts';
import type { BalancerName } from '#tests/proxies/balancers.ts';
import { balancerNames, startBalancer } from '#tests/proxies/balancers.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerProcess } from '#tests/support/processes/server-process.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { isWholeSoak, soakCases } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { filmOf, putUploader, tus } from '#tests/support/uploads.ts';

/** What goes on while servers restart; `npm run soak` has all of it. */
const load = isWholeSoak
  ? { servers: 3, restarts: 10, pickers: 20, streams: 20, uploads: 5, pace: { picks: 100, ranges: 700, parts: 300 } }
  : { servers: 2, restarts: 2, pickers: 2, streams: 2, uploads: 1, pace: { picks: 0, ranges: 0, parts: 0 } };
const metricsToken = 'f'.repeat(64);
const rangeBytes = 131_072;
const partBytes = 1_048_576;
const filmBytes = 12 * partBytes + 12_345;
const mostSentAgain = 24 * partBytes;

const isThere = new Map<BalancerName, boolean>();
for (const name of balancerNames)
  isThere.set(
    name,
    await ensurePackages([name]).then(
      () => true,
      () => false,
    ),
  );

/** What failed twice in a row, and how much was done. */
interface Outcome {
  failures: string[];
  done: number;
}

/**
 * Makes calls, one after the other, until it is told to end.
 * @param everyMs the distance from one call to the next, where the calls are faster than that
 * @param call is made once more when it throws
 */
function keepCalling(call: () => Promise<void>, everyMs: number): () => Promise<Outcome> {
  let isOver = false;
  const outcome = (async () => {
    const failures: string[] = [];
    let done = 0;
    while (!isOver) {
      const begun = performance.now();
      await call()
        .catch(call)
        .catch((error) => failures.push(String(error)));
      done += 1;
      await pause(Math.max(0, begun + everyMs - performance.now()));
    }
    return { failures, done };
  })();
  return () => {
    isOver = true;
    return outcome;
  };
}

/** @throws when the answer has another status */
async function callFor(status: number, url: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.status === status) return answer;
  throw new Error(`${init.method ?? 'GET'} ${url}: ${answer.status} ${await answer.text()}`);
}

/** Somebody of this site who may send films. */
async function makeUploader(env: Record<string, string>): Promise<Person> {
  const ends: (() => Promise<void> | void)[] = [];
  const server = await startServer({ env }, (end) => ends.unshift(end));
  const person = await putUploader(server, 'ada', 'admin');
  for (const end of ends) await end();
  return person;
}

/** Sends a film in parts, each of which is tried twice. @returns how many bytes went over the network more than once */
async function sendFilm(site: string, { headers }: Person): Promise<number> {
  const film = filmOf(filmBytes);
  const json = { ...headers, 'content-type': 'application/json' };
  const files = [{ filename: 'a film.mp4', file_size: film.length }];
  const begin = () =>
    callFor(201, `${site}/api/upload/initiate`, { method: 'POST', headers: json, body: JSON.stringify({ files }) });
  const begun = await begin().catch(begin);
  const session = uploadSessionSchema.parse(await begun.json());
  const address = `${site}${session.files[0]?.address}`;
  const key = { ...tus, accesskey: session.bunny_access_key };
  const ask = async () =>
    Number((await callFor(200, address, { method: 'HEAD', headers: key })).headers.get('upload-offset'));
  let [offset, sent] = [0, 0];
  const send = async () => {
    const part = film.subarray(offset, offset + partBytes);
    sent += part.length;
    const type = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
    const answer = await callFor(204, address, { method: 'PATCH', headers: { ...key, ...type }, body: part });
    offset = Number(answer.headers.get('upload-offset'));
  };
  while (offset < film.length) {
    await send().catch(async () => {
      const reached = await ask().catch(ask);
      if (reached < offset) throw new Error(`The server knows ${reached} bytes of the ${offset} that it had.`);
      offset = reached;
      if (offset < film.length) await send();
    });
    await pause(load.pace.parts);
  }
  const complete = () =>
    callFor(200, `${site}/api/upload/complete/${session.session_id}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ session_id: session.session_id, files: [] }),
    });
  const completed = (await (await complete().catch(complete)).json()) as { videos: { url: string }[] };
  const read = async () => Buffer.from(await (await callFor(200, `${site}${completed.videos[0]?.url}`)).arrayBuffer());
  expect(sumOf(await read().catch(read))).toBe(sumOf(film));
  return sent - film.length;
}

/** Whether a server has answered a pick since it was started. */
async function hasPicked(port: number): Promise<boolean> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const metrics = await (await callFor(200, `http://127.0.0.1:${port}/metrics`, { headers })).text();
  return /^fourfold_picks_total\{outcome="picked"[^}]*\} [1-9]/m.test(metrics);
}

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.each(
  soakCases(
    balancerNames.filter((name) => isThere.get(name)),
    3,
  ),
)(
  'servers behind %s that are restarted one after the other fail no pick, no byte of a video and no upload',
  async (name) => {
    const library = temporaryFolder();
    putVideos(library, 'a.mp4', 'b.mp4', 'c.mp4', 'd.mp4', 'e.mp4');
    const film = filmOf(4 * rangeBytes);
    putFile(library, 'film.mp4', film);
    const ports = await Promise.all(Array.from({ length: load.servers }, () => findFreePort()));
    const shared = {
      LIBRARY_DIRS: library,
      FFMPEG_PATH: '/none',
      TRUST_PROXY: 'on',
      DRAIN_SECONDS: '3',
      METRICS_TOKEN: metricsToken,
    };
    const site = { ...(await migratedSite()), ...shared };
    const start = (port: number) => runServer({ ...site, PORT: String(port) });
    const ada = await makeUploader(site);
    const servers: ServerProcess[] = [];
    for (const port of ports) {
      const server = start(port);
      if (servers.length === 0) await server.says(/Looked through/);
      await server.address();
      servers.push(server);
    }
    const address = await startBalancer(
      name,
      Object.fromEntries(ports.map((port, at) => [`server-${at}`, port])),
      onTestFinished,
    );
    let [place, sentAgain] = [0, 0];
    const pick = async () => void (await (await callFor(200, `${address}/api/video/top-left`)).arrayBuffer());
    const range = async () => {
      const from = (place++ * rangeBytes) % film.length;
      const headers = { range: `bytes=${from}-${from + rangeBytes - 1}` };
      const answer = await callFor(206, `${address}/api/video/stream?path=film.mp4`, { headers });
      if (sumOf(Buffer.from(await answer.arrayBuffer())) !== sumOf(film.subarray(from, from + rangeBytes)))
        throw new Error(`other bytes from ${from} on`);
    };
    const upload = async () => {
      sentAgain += await sendFilm(address, ada);
    };
    const ends = [
      ...Array.from({ length: load.pickers }, () => keepCalling(pick, load.pace.picks)),
      ...Array.from({ length: load.streams }, () => keepCalling(range, load.pace.ranges)),
      ...Array.from({ length: load.uploads }, () => keepCalling(upload, 0)),
    ];

    for (let restart = 0; restart < load.restarts; restart += 1) {
      const at = restart % ports.length;
      servers[at]?.kill('SIGTERM');
      expect(await servers[at]?.ended()).toBe(0);
      const next = start(ports[at] ?? 0);
      servers[at] = next;
      await next.address();
      // The next server may only leave once the proxy sends calls to this one.
      await vi.waitUntil(() => hasPicked(ports[at] ?? 0), { timeout: 120_000, interval: 100 });
    }
    const outcomes = await Promise.all(ends.map((end) => end()));
    expect(outcomes.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { done } of outcomes) expect(done).toBeGreaterThan(0);
    expect(sentAgain).toBeLessThanOrEqual(mostSentAgain);
  },
);
