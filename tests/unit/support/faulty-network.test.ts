import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { cutAtRandom } from '#tests/support/network/random-cuts.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '../server/id-sets/list-set.ts';

/** Keeps what it gets, per connection, and answers each piece with itself. */
class EchoServer {
  readonly received: string[] = [];
  /** How its connections ended: null by FIN, else by the error of this code. */
  readonly ends: (string | null)[] = [];
  readonly listener = createServer((socket) => this.serve(socket));

  async start(): Promise<number> {
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    return (this.listener.address() as AddressInfo).port;
  }

  private serve(socket: Socket): void {
    const at = this.received.push('') - 1;
    socket.on('data', (piece) => {
      this.received[at] += piece;
      socket.write(piece);
    });
    socket.once('end', () => this.ends.push(null));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => this.ends.push(code));
  }
}

class Client {
  readonly socket: Socket;
  got = '';
  /** By FIN: null; else the error's code. */
  readonly closed: Promise<string | null>;

  constructor(address: string, host = '127.0.0.1') {
    this.socket = connect(Number(new URL(address).port), host);
    this.socket.on('data', (piece) => (this.got += piece));
    let failure: string | null = null;
    this.socket.on('error', (error: NodeJS.ErrnoException) => (failure = error.code ?? error.message));
    this.closed = new Promise((resolve) => void this.socket.once('close', () => resolve(failure)));
    onTestFinished(() => void this.socket.destroy());
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  async has(length: number): Promise<string> {
    while (this.got.length < length) await once(this.socket, 'data');
    return this.got;
  }
}

let server: EchoServer;
let network: FaultyNetwork;

beforeEach(async () => {
  server = new EchoServer();
  network = await FaultyNetwork.start(await server.start());
});

afterEach(async () => {
  vi.useRealTimers();
  await network.close();
  server.listener.close();
});

const open = () => new Client(network.address);

test('bytes pass both ways, and are counted per connection and in all', async () => {
  expect(await open().send('one').has(3)).toBe('one');
  expect(await open().send('three').has(5)).toBe('three');
  expect(network.connections.map(({ bytesToServer }) => bytesToServer)).toEqual([3, 5]);
  expect([network.toServer.bytes, network.toClient.bytes]).toEqual([8, 8]);
});

test('an answer still comes after the client has ended its side', async () => {
  const client = open().send('bye');
  client.socket.end();
  expect(await client.closed).toBeNull();
  expect(client.got).toBe('bye');
});

test('a server on a path is reached at an address of its own, and a cut ends both sides', async () => {
  const path = join(temporaryFolder(), 'socket');
  const onPath = new EchoServer();
  onPath.listener.listen(path);
  await once(onPath.listener, 'listening');
  const way = await FaultyNetwork.start(path, { host: '127.0.0.9' });
  expect(new URL(way.address).hostname).toBe('127.0.0.9');
  const client = new Client(way.address, '127.0.0.9').send('one');
  expect(await client.has(3)).toBe('one');
  way.cutAll('reset');
  expect(await client.closed).toBe('ECONNRESET');
  await vi.waitFor(() => expect(onPath.ends).toEqual([null]));
  await way.close();
  onPath.listener.close();
});

test.each([
  ['reset', 'ECONNRESET'],
  ['end', null],
] as const)('a connection is cut on its way to the server by %s after so many bytes, once', async (kind, end) => {
  const cut = network.toServer.cutAfter(4, { kind });
  const client = open().send('abcdefgh');
  await cut;
  expect(await client.closed).toBe(end);
  await vi.waitFor(() => expect(server.ends).toEqual([end]));
  expect(server.received).toEqual(['abcd']);
  expect(await open().send('abcdefgh').has(8)).toBe('abcdefgh');
});

test('a connection is cut on its way back after so many bytes', async () => {
  void network.toClient.cutAfter(2);
  const client = open().send('abcdefgh');
  expect(await client.closed).toBe('ECONNRESET');
  expect([server.received, client.got]).toEqual([['abcdefgh'], 'ab']);
});

test('a cut can count from the body of a request', async () => {
  const cut = network.toServer.cutAfter(2, { inBodyOf: 'PATCH /' });
  await open().send('GET / HTTP/1.1\r\n\r\n').has(18);
  open().send('PATCH / HTTP/1.1\r\n\r\nbody');
  await cut;
  await vi.waitFor(() => expect(server.received[1]).toBe('PATCH / HTTP/1.1\r\n\r\nbo'));
});

test('what stalls goes on later', async () => {
  network.toServer.stall();
  const client = open().send('first');
  await new Client(`http://127.0.0.1:${(server.listener.address() as AddressInfo).port}`).send('direct').has(6);
  expect(network.toServer.bytes).toBe(0);
  network.toServer.pass();
  expect(await client.has(5)).toBe('first');
});

test('an answer is lost though its request has arrived', async () => {
  network.toClient.lose();
  const client = open().send('lost');
  await vi.waitFor(() => expect(server.received).toEqual(['lost']));
  await open().send('also lost').socket.end();
  await vi.waitFor(() => expect(server.ends).toHaveLength(1));
  network.toClient.pass();
  expect(await client.send('heard').has(5)).toBe('heard');
});

test('bytes arrive after the delay, in their order', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  network.toServer.delay(150);
  const client = open().send('late');
  await timers(1);
  await vi.advanceTimersByTimeAsync(149);
  expect(network.toServer.bytes).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await client.has(4)).toBe('late');
});

test('no more bytes a second than allowed are forwarded', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  network.toServer.throttle(40);
  open().send('abcdefgh');
  for (let ms = 0; ms < 150; ms += 50) {
    await timers(1);
    expect(network.toServer.bytes).toBe(2 + ms / 25);
    await vi.advanceTimersByTimeAsync(50);
  }
  await network.toServer.whenForwarded(8);
});

test('a server that is gone refuses, and is there again at the same address', async () => {
  const before = open();
  await before.send('x').has(1);
  await network.refuse();
  expect(await before.closed).toBe('ECONNRESET');
  expect(await open().closed).toBe('ECONNREFUSED');
  await network.accept();
  expect(await open().send('back').has(4)).toBe('back');
});

test('a server that was started again may have another port', async () => {
  const second = new EchoServer();
  network.leadTo(await second.start());
  onTestFinished(() => void second.listener.close());
  expect(await open().send('moved').has(5)).toBe('moved');
  expect([server.received, second.received]).toEqual([[], ['moved']]);
});

test('nobody behind it: the client is reset', async () => {
  server.listener.close();
  expect(await open().send('x').closed).toBe('ECONNRESET');
});

test('a seed decides where cuts are', async () => {
  const cutPlaces = async () => {
    const earlier = network.connections.length;
    const done = cutAtRandom(network, { cuts: 5, bytes: 1_000, random: seededRandom(7) });
    for (let cuts = 0; cuts < 5; cuts += 1) await open().send('x'.repeat(1_000)).closed;
    await done;
    return network.connections.slice(earlier).map(({ bytesToServer }) => bytesToServer);
  };
  const places = await cutPlaces();
  expect(new Set(places).size).toBe(5);
  expect(await cutPlaces()).toEqual(places);
});

/** Bytes travel by real sockets, whatever the clock says. */
async function timers(count: number): Promise<void> {
  while (vi.getTimerCount() < count) await setImmediate();
}
