import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SocketQueue, UnreadLimits } from '#server/http/connections/unread-bytes.ts';
import { descriptorOf, openSocketQueue, UnreadBytes, unreadLimits } from '#server/http/connections/unread-bytes.ts';

const mebibyte = 1024 * 1024;
/** Real sockets on a busy machine. */
const patient = { interval: 5 };
async function systemQueue(): Promise<SocketQueue> {
  const queue = await openSocketQueue();
  if (queue === null) throw new Error('This system tells nothing of its sockets.');
  return queue;
}

interface Watched {
  unread: UnreadBytes;
  queue: SocketQueue;
  /** Both ends; the client reads nothing unless it is told to. */
  open(): Promise<{ client: Socket; accepted: Socket }>;
  /** Gives a client bytes as long as the system takes them. */
  give(accepted: Socket, bytes: number): void;
  heldFor(accepted: Socket): number;
}

async function listenWith(limits: Partial<UnreadLimits>): Promise<Watched> {
  // The kernel would end connections by its own clock while this process waits for the processor.
  const queue = { ...(await systemQueue()), limitSilence: () => {} };
  const unread = new UnreadBytes(queue, { checkMs: 10, trustedBytes: 0, ...limits });
  const server: Server = createServer();
  unread.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    unread,
    queue,
    async open() {
      const accepting = once(server, 'connection') as Promise<[Socket]>;
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
        .on('error', () => {})
        .pause();
      const [accepted] = await accepting;
      accepted.on('error', () => {});
      sockets.push(client, accepted);
      return { client, accepted };
    },
    give(accepted, bytes) {
      accepted.write(Buffer.alloc(bytes));
      unread.given(bytes);
    },
    heldFor: (accepted) => queue.held(descriptorOf(accepted) ?? -1),
  };
}

const isClosed = (socket: Socket) => () => expect(socket.closed).toBe(true);

test('the system says what it holds for a client, and what the client has taken', async () => {
  const { open, give, queue } = await listenWith({});
  const { client, accepted } = await open();
  give(accepted, 16 * mebibyte);
  const descriptor = descriptorOf(accepted) ?? -1;
  await vi.waitFor(() => expect(queue.held(descriptor)).toBeGreaterThan(0), patient);
  let came = 0;
  client.on('data', (part) => {
    came += part.length;
  });
  client.resume();
  await vi.waitFor(() => expect([came, queue.held(descriptor)]).toEqual([16 * mebibyte, 0]), patient);
  expect(queue.taken(descriptor)).toBeGreaterThanOrEqual(16 * mebibyte);
});

test('a client that has taken little is given little at a time, and much once it has taken more', async () => {
  const [trustedBytes, littleBytes] = [4 * mebibyte, 64 * 1024];
  const { open, give, heldFor, unread } = await listenWith({ trustedBytes, littleBytes });
  const first = await open();
  give(first.accepted, 2 * trustedBytes);
  await vi.waitFor(() => expect(unread.held).toBeGreaterThan(0), patient);
  expect(heldFor(first.accepted)).toBeLessThan(mebibyte);
  let came = 0;
  first.client.on('data', (part) => {
    came += part.length;
  });
  first.client.resume();
  await vi.waitFor(() => expect([came, heldFor(first.accepted)]).toEqual([2 * trustedBytes, 0]), patient);
  first.client.pause();
  await vi.waitFor(async () => {
    give(first.accepted, 4 * mebibyte);
    await new Promise(setImmediate);
    expect(heldFor(first.accepted)).toBeGreaterThan(mebibyte);
  }, patient);
});

test('clients that take nothing hold little once the system holds much for all', async () => {
  const [pressedBytes, littleBytes, clients] = [8 * mebibyte, 64 * 1024, 40];
  const { open, give, unread, heldFor } = await listenWith({ pressedBytes, littleBytes });
  const held: Socket[] = [];
  for (let index = 0; index < clients; index += 1) {
    const { accepted } = await open();
    give(accepted, 4 * mebibyte);
    held.push(accepted);
    // The turn in which a server would have its next request.
    await new Promise(setImmediate);
  }
  expect(unread.isPressed).toBe(true);
  const sum = held.reduce((bytes, accepted) => bytes + heldFor(accepted), 0);
  expect(sum).toBeGreaterThan(pressedBytes);
  expect(sum).toBeLessThan(2 * pressedBytes + clients * 2 * littleBytes);
});

test('clients get much again when those that held it have gone', async () => {
  const { open, give, unread, heldFor } = await listenWith({ pressedBytes: 2 * mebibyte, littleBytes: 64 * 1024 });
  const first = await open();
  give(first.accepted, 8 * mebibyte);
  await vi.waitFor(() => expect(unread.isPressed).toBe(true), patient);
  const second = await open();
  give(second.accepted, 8 * mebibyte);
  await vi.waitFor(() => expect(heldFor(second.accepted)).toBeGreaterThan(0), patient);
  expect(heldFor(second.accepted)).toBeLessThan(mebibyte);
  first.client.destroy();
  await vi.waitFor(() => expect(unread.isPressed).toBe(false), patient);
  await vi.waitFor(() => expect(heldFor(second.accepted)).toBeGreaterThan(mebibyte), patient);
});

test('beyond a total of what nobody takes those that have taken nothing for the longest are ended', async () => {
  const { open, give, unread } = await listenWith({ pressedBytes: 64 * mebibyte, maxBytes: 6 * mebibyte });
  const first = await open();
  give(first.accepted, 4 * mebibyte);
  // The looks before count as well: nobody else has stood still for as long.
  await vi.waitFor(() => expect(unread.held).toBeGreaterThan(0), patient);
  expect(first.accepted.destroyed).toBe(false);
  const later: Socket[] = [];
  await vi.waitFor(async () => {
    // How much of what is given the system holds here, and how much at the client's end, is its own choice.
    const { accepted } = await open();
    give(accepted, 4 * mebibyte);
    later.push(accepted);
    expect(first.accepted.closed).toBe(true);
  }, patient);
  await vi.waitFor(() => expect(unread.held).toBeLessThanOrEqual(6 * mebibyte), patient);
  expect(later.some((accepted) => !accepted.destroyed)).toBe(true);
});

describe('a client with bytes waiting', () => {
  const limits = { takesMs: 200, minBytes: 64 * 1024 };

  test('is ended when it takes none of them, and the system lets go of them', async () => {
    const { open, give, unread } = await listenWith(limits);
    const { accepted } = await open();
    give(accepted, 2 * mebibyte);
    await vi.waitFor(isClosed(accepted), patient);
    await vi.waitFor(() => expect(unread.held).toBe(0), patient);
  });

  test('is ended when it takes next to nothing', async () => {
    const { open, give } = await listenWith(limits);
    const { client, accepted } = await open();
    give(accepted, 8 * mebibyte);
    client
      .on('readable', () => void client.read(16))
      .resume()
      .pause();
    await vi.waitFor(isClosed(accepted), patient);
  });

  test('is left alone while it takes enough', async () => {
    const { open, give } = await listenWith(limits);
    const { client, accepted } = await open();
    give(accepted, 8 * mebibyte);
    let came = 0;
    client.on('data', (part) => {
      came += part.length;
      client.pause();
      setTimeout(() => client.resume(), 5);
    });
    client.resume();
    await vi.waitFor(() => expect(came).toBe(8 * mebibyte), patient);
    expect(accepted.closed).toBe(false);
  });

  test('is left alone for ever when nothing waits any more', async () => {
    const { open, give, unread } = await listenWith({ ...limits, takesMs: 50 });
    const { client, accepted } = await open();
    give(accepted, 1_000);
    await vi.waitFor(() => expect(unread.held).toBe(0), patient);
    const other = await open();
    give(other.accepted, 2 * mebibyte);
    await vi.waitFor(isClosed(other.accepted), patient);
    expect([client.closed, accepted.closed]).toEqual([false, false]);
  });
});

test('what the product allows clients that do not read is what it promises', () => {
  expect(unreadLimits).toMatchObject({
    trustedBytes: mebibyte,
    pressedBytes: 128 * mebibyte,
    maxBytes: 128 * mebibyte,
    takesMs: 60_000,
    minBytes: 64 * 1024,
  });
});
