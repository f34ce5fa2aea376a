import { copyFileSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:http';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { hostWith } from '#tests/support/secure-host.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const film = '/api/video/stream?path=film.mp4';
const size = readFileSync(largeVideo()).length;

interface Theatre extends ServerUnderTest {
  port: number;
}

/** Shows `film.mp4`, and the endless `huge.mp4`. */
async function openTheatre(env: Record<string, string>): Promise<Theatre> {
  const library = temporaryFolder(afterFile);
  copyFileSync(largeVideo(), join(library, 'film.mp4'));
  putHugeVideo(library, 'huge.mp4');
  const readHost = () => hostWith('192.168.1.20');
  const server = await startServer({ library: [library], env, overrides: { readHost } }, afterFile);
  return { ...server, port: await listen(server.app, { host: '127.0.0.1', port: 0 }) };
}

let names = 0;
function browser(): { cookie: string; viewer: string } {
  names += 1;
  const viewer = String(names).padStart(24, 'v');
  return { cookie: `viewer=${viewer}`, viewer };
}

/** What was counted for this browser. */
function counted({ services: { sentBytes } }: Theatre, viewer: string): number {
  return sentBytes.find({ ip: '127.0.0.1', cookies: { viewer } })?.bytes ?? 0;
}

type Fetch = (theatre: Theatre, cookie: string, range?: string) => Promise<Buffer>;

/** Leaves connections open, as browsers do. */
const browsing = new Agent({ keepAlive: true });
afterAll(() => browsing.destroy());

async function open(port: number, path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get({ port, host: '127.0.0.1', path, headers, agent: browsing }, resolve).on('error', reject);
  return promise;
}

const rangeOf = (range: string | undefined): Record<string, string> => (range === undefined ? {} : { range });

const fetchHttp1: Fetch = async ({ port }, cookie, range) =>
  buffer(await open(port, film, { cookie, ...rangeOf(range) }));

const fetchHttp2: Fetch = async ({ port, services }, cookie, range) => {
  const ca = services.secureOrigin!.local!.authority.toString();
  const session = connect(`https://127.0.0.1:${port}`, { ca }).on('error', () => {});
  onTestFinished(() => session.destroy());
  return buffer(session.request({ ':path': film, cookie, ...rangeOf(range) }));
};

const plain = await openTheatre({});
const ways = [
  ['HTTP/1.1', plain, fetchHttp1],
  ['HTTP/2 over TLS', await openTheatre({ TLS: 'local' }), fetchHttp2],
] as const;

describe.each(ways)('over %s', (_, theatre, fetch) => {
  test('exactly the bytes of the body are counted, for the viewer who asked and for nobody else', async () => {
    const [ada, bob] = [browser(), browser()];
    const before = theatre.services.sentBytes.total;
    expect((await fetch(theatre, ada.cookie)).length).toBe(size);
    expect((await fetch(theatre, ada.cookie, 'bytes=5-104')).length).toBe(100);
    expect((await fetch(theatre, bob.cookie, 'bytes=0-69999')).length).toBe(70_000);
    expect([counted(theatre, ada.viewer), counted(theatre, bob.viewer)]).toEqual([size + 100, 70_000]);
    expect(theatre.services.sentBytes.total - before).toBe(size + 70_100);
  });

  test('what the network gave a viewer is measured', async () => {
    const ada = browser();
    const { sentBytes, deliveries } = theatre.services;
    await fetch(theatre, ada.cookie);
    deliveries.check();
    const { speed = null } = sentBytes.find({ ip: '127.0.0.1', cookies: { viewer: ada.viewer } }) ?? {};
    expect(speed?.kbps).toBeGreaterThan(0);
  });
});

test('a viewer who leaves half-way has what the system was given until then', async () => {
  const ada = browser();
  const given = vi.spyOn(plain.services.unread, 'given');
  onTestFinished(() => given.mockRestore());
  const answer = await open(plain.port, '/api/video/stream?path=huge.mp4', { cookie: ada.cookie });
  let came = 0;
  for await (const part of answer) {
    came += part.length;
    if (came > 3_000_000) break;
  }
  await vi.waitFor(() => expect(plain.services.streams.size).toBe(0));
  const all = given.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  expect(counted(plain, ada.viewer)).toBe(all);
  expect(all).toBeGreaterThanOrEqual(came);
});

test('heads, answers without bytes of a video and other calls count nothing', async () => {
  const { cookie, viewer } = browser();
  const { headers } = await plain.call('HEAD', film, { headers: { cookie } });
  const replies = [
    await plain.get(film, { cookie, 'if-none-match': String(headers.etag) }),
    await plain.get(film, { cookie, range: `bytes=${size}-` }),
    await plain.get('/api/status', { cookie }),
  ];
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([304, 416, 200]);
  expect([counted(plain, viewer), plain.services.sentBytes.find({ ip: '127.0.0.1', cookies: { viewer } })]).toEqual([
    0,
    null,
  ]);
});
