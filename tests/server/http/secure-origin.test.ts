import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { connect, constants } from 'node:http2';
import { request } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { permitFor } from '#server/http/local-names.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { issueLeaf, makeAuthority } from '#server/tls/local-authority.ts';
import type { LocalHost } from '#server/tls/local-certificate.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { hostWith, shakeHands } from '#tests/support/secure-host.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const film = '/api/video/stream?path=film.mp4';
const filmBytes = readFileSync(largeVideo());

interface SecureServerUnderTest extends ServerUnderTest {
  port: number;
  ca: string;
}

interface SecureOptions {
  library?: string[];
  readHost?: () => LocalHost;
}

async function startSecureServer(
  { library, readHost = () => hostWith('192.168.1.20') }: SecureOptions,
  atEnd?: AtEnd,
): Promise<SecureServerUnderTest> {
  const server = await startServer({ library, env: { TLS: 'local' }, overrides: { readHost } }, atEnd);
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  return { ...server, port, ca: server.services.secureOrigin!.local!.authority.toString() };
}

function withFilm(): string {
  const folder = temporaryFolder(afterFile);
  copyFileSync(largeVideo(), join(folder, 'film.mp4'));
  return folder;
}

/** With one video; it goes on at the end of each test but one, which stops a server of its own. */
const server = await startSecureServer({ library: [withFilm()] }, afterFile);

function openSession({ port, ca }: Pick<SecureServerUnderTest, 'port' | 'ca'>): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, { ca });
  // A session that the server ends may fail before or after its streams do.
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

async function ask(session: ClientHttp2Session, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  const stream = session.request({ ':path': path, ...headers });
  const answered = headersOf(stream);
  const body = await buffer(stream);
  const head = await answered;
  return { status: Number(head[':status']), headers: head, body };
}

function headersOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => stream.once('response', resolve).once('error', reject));
}

/** An answer whose bytes nobody takes. */
async function stall(session: ClientHttp2Session, path: string): Promise<ClientHttp2Stream> {
  const stream = session.request({ ':path': path });
  stream.on('error', () => {});
  await headersOf(stream);
  return stream;
}

/** Opens streams, lets them reach the server, and takes them back before it can answer. */
async function openAndReset(session: ClientHttp2Session, count: number): Promise<void> {
  const streams = Array.from({ length: count }, () => session.request({ ':path': '/healthz' }).on('error', () => {}));
  await new Promise(setImmediate);
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  await new Promise(setImmediate);
}

function askOverHttp1(
  { port, ca }: SecureServerUnderTest,
  path: string,
  headers: Record<string, string>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, ca, headers, agent: false }, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) });
    });
    call.once('error', reject).end();
  });
}

describe('over TLS', () => {
  test('HTTP/2 and HTTP/1.1 clients get the same part of a video', async () => {
    const range = 'bytes=1000-299999';
    const session = openSession(server);
    for (const reply of [await ask(session, film, { range }), await askOverHttp1(server, film, { range })]) {
      expect(reply.status).toBe(206);
      expect(reply.headers).toMatchObject({
        'content-range': `bytes 1000-299999/${filmBytes.length}`,
        'content-length': '299000',
        'accept-ranges': 'bytes',
      });
      expect(reply.body.equals(filmBytes.subarray(1000, 300_000))).toBe(true);
    }
    expect(session.alpnProtocol).toBe('h2');
  });

  test('a whole video, its head alone, and a range beyond its end are answered over HTTP/2', async () => {
    const session = openSession(server);
    expect((await ask(session, film)).body.equals(filmBytes)).toBe(true);
    expect(await ask(session, film, { ':method': 'HEAD' })).toMatchObject({
      status: 200,
      headers: { 'content-length': String(filmBytes.length) },
    });
    expect(await ask(session, film, { range: 'bytes=99999999-' })).toMatchObject({
      status: 416,
      headers: { 'content-range': `bytes */${filmBytes.length}` },
    });
  });

  test('a client that speaks neither by name gets HTTP/1.1', async () => {
    expect(await shakeHands({ ...server, name: 'nas.local', protocols: [] })).toMatchObject({
      refusal: null,
      protocol: false,
    });
    expect(await shakeHands({ ...server, name: 'nas.local', protocols: ['http/1.1'] })).toMatchObject({
      protocol: 'http/1.1',
    });
  });

  test('cookies are for secure addresses only', async () => {
    const { headers } = await ask(openSession(server), '/api/config');
    expect(headers['set-cookie']?.[0]).toMatch(/^viewer=.*; HttpOnly; Secure; SameSite=Lax$/);
  });

  test('a local authority makes no promise of TLS for good', async () => {
    const { headers } = await ask(openSession(server), '/api/config');
    expect(headers['strict-transport-security']).toBeUndefined();
  });
});

describe('a viewer over HTTP/2', () => {
  test('who cancels a video leaves nothing open', async () => {
    const stream = await stall(openSession(server), film);
    await vi.waitFor(() => expect(server.services.streams.size).toBe(1));
    stream.close(constants.NGHTTP2_CANCEL);
    await vi.waitFor(() => expect(server.services.streams.size).toBe(0));
  });

  test('whose connection breaks leaves nothing open', async () => {
    const session = openSession(server);
    await Promise.all([stall(session, film), stall(session, film)]);
    session.destroy();
    await vi.waitFor(() => expect(server.services.streams.size).toBe(0));
  });

  test('can go on calling while four videos are not taken', async () => {
    const session = openSession(server);
    await Promise.all([film, film, film, film].map((path) => stall(session, path)));
    expect((await ask(session, '/api/status')).status).toBe(200);
  });

  test('sees that a cut video is not whole', async () => {
    const stream = await stall(openSession(server), film);
    const ended = new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode)));
    server.services.streams.cutAll();
    expect(await ended).toBe(constants.NGHTTP2_INTERNAL_ERROR);
  });

  test('is told that the server stops, and may finish what runs', async () => {
    const stopping = await startSecureServer({ library: [withFilm()] });
    const session = openSession(stopping);
    const stream = await stall(session, film);
    const told = new Promise((resolve) => session.once('goaway', resolve));
    const stopped = stopGently(stopping.app, stopping.services.streams);
    expect(await told).toBe(constants.NGHTTP2_NO_ERROR);
    expect((await buffer(stream)).equals(filmBytes)).toBe(true);
    await stopped;
  });

  test('who opens streams only to reset them loses the connection, and nobody else does', async () => {
    const [bystander, attacker] = [openSession(server), openSession(server)];
    await ask(bystander, '/healthz');
    await new Promise((resolve) => attacker.once('remoteSettings', resolve));
    let opened = 0;
    for (; opened < 5_000 && !attacker.destroyed; opened += 50) await openAndReset(attacker, 50);
    expect(opened).toBeLessThan(1_000);
    expect((await ask(bystander, '/healthz')).status).toBe(200);
  });
});

describe('the certificate of a running server', () => {
  test('takes in a new address without a restart', async () => {
    let host = hostWith('192.168.1.20');
    const server = await startSecureServer({ readHost: () => host });
    expect(await shakeHands({ ...server, name: '192.168.1.77' })).toMatchObject({
      refusal: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    host = hostWith('192.168.1.77');
    await server.services.secureOrigin!.refresh();
    expect(await shakeHands({ ...server, name: '192.168.1.77' })).toMatchObject({ refusal: null });
  });

  test('says once when an address is beyond what the authority may vouch for', async () => {
    let host = hostWith('192.168.1.20');
    const server = await startSecureServer({ readHost: () => host });
    host = hostWith('10.0.0.5');
    await server.services.secureOrigin!.refresh();
    await server.services.secureOrigin!.refresh();
    expect(server.logged().match(/may not vouch for 10\.0\.0\.5/g)).toHaveLength(1);
  });

  test('is the one in the files, also after they were renewed, and connections live on', async () => {
    const authority = await makeAuthority('nas', permitFor(['nas']), Date.now());
    const [first, second] = [
      await issueLeaf(authority, ['nas', '127.0.0.1'], Date.now()),
      await issueLeaf(authority, ['nas', '127.0.0.1'], Date.now()),
    ];
    const folder = temporaryFolder();
    const files = { TLS_CERT_FILE: join(folder, 'chain.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
    const write = ({ cert, key }: typeof first) => {
      writeFileSync(files.TLS_CERT_FILE, cert);
      writeFileSync(files.TLS_KEY_FILE, key);
    };
    write(first);
    const server = await startServer({ env: files });
    const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
    const session = openSession({ port, ca: authority.cert });
    expect((await ask(session, '/healthz')).status).toBe(200);
    const before = await shakeHands({ port, ca: authority.cert, name: 'nas' });

    write(second);
    await server.services.secureOrigin!.refresh();
    const after = await shakeHands({ port, ca: authority.cert, name: 'nas' });
    expect(after.refusal).toBeNull();
    expect(after.fingerprint).not.toBe(before.fingerprint);
    expect((await ask(session, '/healthz')).status).toBe(200);

    write({ ...second, key: first.key });
    await server.services.secureOrigin!.refresh();
    expect(await shakeHands({ port, ca: authority.cert, name: 'nas' })).toEqual(after);
    expect(server.logged()).toContain('belongs to another certificate');
  });
});
