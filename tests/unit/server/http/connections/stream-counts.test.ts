import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { countStreams } from '#server/http/connections/connection-limits.ts';

interface Limited {
  /** A client that takes no byte of any answer. */
  open(from?: string): ClientHttp2Session;
  /** Opens calls whose answers stay unread. */
  ask(session: ClientHttp2Session, calls: number): void;
  streams(): number;
}

async function listenWith(most: number): Promise<Limited> {
  const server = createServer();
  let streams = 0;
  countStreams(server as never, most);
  server.on('stream', (stream) => {
    streams += 1;
    stream
      .on('error', () => {})
      .on('close', () => {
        streams -= 1;
      });
    stream.respond();
    stream.write(Buffer.alloc(1_000));
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sessions: ClientHttp2Session[] = [];
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return {
    open(from = '127.0.0.1') {
      const createConnection = () => connectTcp({ port, host: '127.0.0.1', localAddress: from });
      const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 }, createConnection });
      sessions.push(session.on('error', () => {}));
      return session;
    },
    ask(session, calls) {
      for (let call = 0; call < calls; call += 1) session.request({ ':path': '/' }).on('error', () => {});
    },
    streams: () => streams,
  };
}

test('of too many open calls those of the connection that has the most are ended', async () => {
  const { open, ask, streams } = await listenWith(20);
  const [small, large] = [open(), open()];
  ask(small, 4);
  ask(large, 12);
  await vi.waitFor(() => expect(streams()).toBe(16));
  const newcomer = open();
  ask(newcomer, 5);
  await vi.waitFor(() => expect(large.destroyed).toBe(true));
  await vi.waitFor(() => expect(streams()).toBe(9));
  expect([small.destroyed, newcomer.destroyed]).toEqual([false, false]);
});

test('an address with many connections is ended before one with a larger one', async () => {
  const { open, ask, streams } = await listenWith(20);
  const viewer = open('127.0.1.1');
  ask(viewer, 8);
  const others = [open('127.0.1.2'), open('127.0.1.2'), open('127.0.1.2')];
  for (const session of others) ask(session, 4);
  await vi.waitFor(() => expect(streams()).toBe(20));
  ask(open('127.0.1.3'), 1);
  await vi.waitFor(() => expect([others.filter(({ destroyed }) => destroyed).length, streams()]).toEqual([1, 17]));
  expect(viewer.destroyed).toBe(false);
});
