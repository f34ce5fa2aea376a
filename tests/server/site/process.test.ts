import { appendFileSync, copyFileSync, readdirSync, readlinkSync, truncateSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { environmentWith, runServer, startReading } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('starting', () => {
  test('says where the server is, what it serves and how the first scan went', async () => {
    const library = temporaryFolder();
    putVideos(library, 'a.mp4');
    putFile(library, 'b.mp4', '');
    const server = runServer(await environmentWith(library));
    const said = await server.says(/Looked through/);
    expect(said).toContain(`Library: ${library}`);
    expect(said).toMatch(/Started in \d/);
    expect(said).toContain('2 videos, 1 of them playable');
    expect(said).not.toContain('{');
    expect((await fetch(`${await server.address()}/readyz`)).status).toBe(200);
  });

  test('in production writes JSON lines that hold no query', async () => {
    const server = runServer(await environmentWith(temporaryFolder(), { NODE_ENV: 'production' }));
    await fetch(`${await server.address()}/api/video/top-left?tag_ids=private`);
    const said = await server.says(/"path":"\/api\/video\/top-left"/);
    expect(said).not.toContain('private');
  });

  test('is refused with the list of everything that is wrong', async () => {
    const server = runServer({ PORT: 'many', DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud', TRUST_PROXY: 'maybe' });
    const said = await server.says(/TRUST_PROXY/);
    for (const name of ['PORT', 'DATABASE_URL', 'LOG_LEVEL']) expect(said).toContain(name);
    expect(await server.ended()).toBe(78);
  });

  test('takes a copy of the example of a .env, and refuses one of which something else would be read', async () => {
    const folder = temporaryFolder();
    copyFileSync('.env.example', join(folder, '.env'));
    const server = runServer({ DATA_DIR: join(folder, 'data'), LIBRARY_DIRS: temporaryFolder() }, { folder });
    expect(await server.says(/The site is open to everybody on this machine/)).not.toContain('.env line');
    appendFileSync(join(folder, '.env'), 'TZ=UTC\nSITE_PASSWORD=s3cret#2\n');
    const refused = runServer({ DATA_DIR: join(folder, 'data') }, { folder });
    expect(await refused.says(/SITE_PASSWORD would not be read/)).not.toContain('s3cret');
    expect(await refused.ended()).toBe(78);
  });

  test('beside another server on its DATA_DIR is refused, and goes on where one was killed', async () => {
    const env = { DATA_DIR: temporaryFolder(), LIBRARY_DIRS: temporaryFolder() };
    const first = runServer(env);
    await first.says(/Looked through/);
    const second = runServer(env);
    expect(await second.says(/Stop it, or/)).toContain(`DATA_DIR ${env.DATA_DIR}, too`);
    expect(await second.ended()).toBe(78);
    expect((await fetch(`${await first.address()}/readyz`)).status).toBe(200);
    first.kill('SIGKILL');
    await first.ended();
    await runServer(env).says(/Looked through/);
  });

  test('on an interface that this machine does not have is refused in plain words', async () => {
    const server = runServer({ DATA_DIR: temporaryFolder(), LIBRARY_DIRS: temporaryFolder(), HOST: 'none.invalid' });
    expect(await server.says(/could not start/)).toContain('HOST is no address of this machine');
    expect(await server.ended()).toBe(1);
  });

  test('on a database that is none is refused in plain words', async () => {
    const dataFolder = temporaryFolder();
    putFile(dataFolder, 'fourfold.sqlite', 'this is no database, and long enough to be looked at as one '.repeat(100));
    const server = runServer({ DATA_DIR: dataFolder });
    expect(await server.says(/could not start/)).toContain('its database cannot be used');
    expect(await server.ended()).toBe(1);
  });
});

describe('stopping', () => {
  test('by SIGTERM or SIGINT while a video is being sent ends in time by itself', async () => {
    const stop = async (signal: 'SIGTERM' | 'SIGINT') => {
      const server = await runSending();
      server.kill(signal);
      return server.ended();
    };
    // A server that cannot end in time is ended by its own watch, with another code.
    expect(await Promise.all([stop('SIGTERM'), stop('SIGINT')])).toEqual([0, 0]);
  });

  test('by one Ctrl+C under npm, which comes twice, gives a video that is being sent its moment', async () => {
    const server = await runSending();
    server.kill('SIGINT');
    server.kill('SIGINT');
    await server.says(/Stopping/);
    server.kill('SIGINT');
    expect(await server.ended()).toBe(0);
  });

  test('a second signal ends it at once', async () => {
    const server = await runSending();
    server.kill('SIGTERM');
    await server.says(/Stopping/);
    server.kill('SIGTERM');
    expect(await server.ended()).toBe(1);
  });

  test('answers 503 on connections that are still open, and then ends them', async () => {
    const library = temporaryFolder();
    putHugeVideo(library, 'huge.mp4');
    const server = await startServer({ library: [library] });
    const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
    const busy = await startReading(`http://127.0.0.1:${port}/api/video/stream?path=huge.mp4`);
    busy.on('error', () => {});
    const open = connect(port, '127.0.0.1');
    const heard = untilClosed(open);
    // A request that has begun keeps its connection open while the server stops.
    open.write('GET /api/config HTTP/1.1\r\nHost: x\r\n');
    await vi.waitFor(async () => expect(await connectionsOf(server.app.server)).toBe(2));
    const stopped = stopGently(server.app, server.services.streams);
    open.write('\r\n');
    const answer = await heard;
    server.services.streams.cutAll();
    await stopped;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer.toLowerCase()).toContain('retry-after: 5');
    expect(answer).toContain('"error":"unavailable"');
  });
});

describe('a client that goes away', () => {
  test('has its file closed at once', async () => {
    const library = temporaryFolder();
    putHugeVideo(library, 'huge.mp4');
    const server = await startServer({ library: [library] });
    const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
    const answer = await startReading(`http://127.0.0.1:${port}/api/video/stream?path=huge.mp4`);
    answer.on('error', () => {});
    expect(openFiles()).toContain(join(library, 'huge.mp4'));
    answer.destroy();
    await vi.waitFor(() => expect(openFiles()).not.toContain(join(library, 'huge.mp4')));
    expect(server.services.streams.size).toBe(0);
  });
});

test('a file that becomes shorter while it is sent ends the connection, not the promise of its length', async () => {
  const library = temporaryFolder();
  const bytes = putHugeVideo(library, 'huge.mp4');
  const server = await startServer({ library: [library] });
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  const answer = await startReading(`http://127.0.0.1:${port}/api/video/stream?path=huge.mp4`);
  truncateSync(join(library, 'huge.mp4'), 1_000_000);
  const { received, isWhole } = await readToEnd(answer);
  expect(isWhole).toBe(false);
  expect(received).toBeLessThan(bytes);
});

test('bytes that are no HTTP get an answer in the usual form', async () => {
  const server = await startServer();
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  const socket = connect(port, '127.0.0.1');
  const heard = untilClosed(socket);
  socket.write('NONSENSE\r\n\r\n');
  expect(await heard).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*"error":"bad_request"/s);
});

test('a connection that cannot be accepted is written down, and ends nothing', async () => {
  const { app, logged } = await startServer();
  await listen(app, { host: '127.0.0.1', port: 0 });
  app.server.emit('error', new Error('accept EMFILE'));
  expect(logged()).toContain('accept EMFILE');
});

test('a server whose work folder cannot be tidied up starts all the same', async () => {
  const dataFolder = temporaryFolder();
  // A file where a folder belongs.
  putFile(dataFolder, 'work', '');
  const server = runServer({ DATA_DIR: dataFolder, LIBRARY_DIRS: temporaryFolder() });
  await server.says(/Looked through/);
  expect((await fetch(`${await server.address()}/readyz`)).status).toBe(200);
});

test('a server that is stopped while its work begins, begins no more of it', async () => {
  const server = await startServer();
  const begun = server.services.startWork();
  await server.stop();
  await begun;
  expect(server.logged()).not.toContain('could not begin');
});

/** A server that is sending a huge video to somebody. */
async function runSending(): Promise<ReturnType<typeof runServer>> {
  const library = temporaryFolder();
  putHugeVideo(library, 'huge.mp4');
  const server = runServer(await environmentWith(library));
  await server.says(/Looked through/);
  const answer = await startReading(`${await server.address()}/api/video/stream?path=huge.mp4`);
  answer.on('error', () => {});
  return server;
}

function connectionsOf(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.getConnections((_, count) => resolve(count));
  return promise;
}

/** Everything that came until the other side closed. */
function untilClosed(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {}).on('close', () => resolve(text));
  return promise;
}

/** The files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return '';
    }
  });
}

async function readToEnd(answer: IncomingMessage): Promise<{ received: number; isWhole: boolean }> {
  let received = 0;
  try {
    for await (const chunk of answer) received += chunk.length;
  } catch {
    // The connection was cut.
  }
  return { received, isWhole: answer.complete };
}
