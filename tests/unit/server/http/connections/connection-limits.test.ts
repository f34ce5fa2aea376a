import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ConnectionLimits } from '#server/http/connections/connection-limits.ts';
import { connectionLimits, limitConnections } from '#server/http/connections/connection-limits.ts';

interface Limited {
  server: Server;
  /** A connection that reads nothing unless it is told to. */
  open(text?: string, from?: string): Socket;
  count(): Promise<number>;
}

async function listenWith(limits: Partial<ConnectionLimits>): Promise<Limited> {
  const server = createServer({ connectionsCheckingInterval: 10 }, (request, response) => {
    request.resume().on('end', () => response.end('fine'));
    request.on('error', () => {});
  });
  limitConnections(server, { ...connectionLimits, ...limits });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    server,
    open(text = '', from = '127.0.0.1') {
      const { port } = server.address() as AddressInfo;
      const socket = connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => {});
      sockets.push(socket);
      socket.write(text);
      return socket;
    },
    count: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

/** Everything that came until the other side closed. */
function heard(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

/** Sends a little at a time, for as long as the connection lives. */
function trickle(socket: Socket, text: () => string): void {
  const timer = setInterval(() => socket.write(text()), 5);
  socket.once('close', () => clearInterval(timer));
}

describe('a connection is ended', () => {
  test('when the head of its request does not arrive, however slowly it goes on', async () => {
    const { open } = await listenWith({ headersMs: 60 });
    const socket = open('GET / HTTP/1.1\r\n');
    trickle(socket, () => 'x-a: b\r\n');
    expect(await heard(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('when it never asks for anything', async () => {
    const { open, count } = await listenWith({ headersMs: 60 });
    const closed = Array.from({ length: 200 }, () => heard(open()));
    await Promise.all(closed);
    await vi.waitFor(async () => expect(await count()).toBe(0));
  });

  test('when it falls silent between requests', async () => {
    const { open } = await listenWith({ idleMs: 60 });
    expect(await heard(open('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))).toContain('fine');
  });

  test('when its body comes a byte at a time', async () => {
    const { open } = await listenWith({ bodyMs: 60, bodyBytes: 1_000 });
    const socket = open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    trickle(socket, () => '.');
    expect(await heard(socket)).not.toContain('fine');
  });
});

test('a body that comes fast enough is waited for', async () => {
  const { open } = await listenWith({ bodyMs: 60, bodyBytes: 100 });
  const socket = open('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n');
  trickle(socket, () => '.'.repeat(500));
  expect(await heard(socket)).toContain('fine');
});

describe('one address', () => {
  test('may open so many connections and no more, and others when it has closed some', async () => {
    const { open, count } = await listenWith({ perAddress: 3, isTrusted: () => false });
    const kept = [open(), open(), open()];
    await vi.waitFor(async () => expect(await count()).toBe(3));
    await heard(open());
    kept[0]?.destroy();
    await vi.waitFor(async () => expect(await count()).toBe(2));
    expect(await heard(open('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))).toContain('fine');
  });

  test('may be that of 100 viewers with six connections each', async () => {
    const { open, count } = await listenWith({ isTrusted: () => false });
    const viewers = Array.from({ length: 600 }, () => open());
    await vi.waitFor(async () => expect(await count()).toBe(600));
    const served = viewers.map((socket) => heard(socket));
    for (const socket of viewers) socket.write(ask);
    expect((await Promise.all(served)).filter((text) => text.endsWith('fine'))).toHaveLength(600);
  });

  test('of this very machine may open any number', async () => {
    const { open, count } = await listenWith({ perAddress: 3 });
    for (let index = 0; index < 10; index += 1) open();
    await vi.waitFor(async () => expect(await count()).toBe(10));
  });
});

describe('all addresses together', () => {
  test('may open so many; then the oldest of the one that has the most makes room for one that has fewer', async () => {
    const { open, count } = await listenWith({ total: 6, isTrusted: () => false });
    const many: Socket[] = [];
    for (let index = 0; index < 6; index += 1) {
      many.push(open('', '127.0.1.1'));
      await vi.waitFor(async () => expect(await count()).toBe(index + 1));
    }
    const [oldest, next] = many.map(heard);
    expect(await heard(open(ask, '127.0.1.2'))).toMatch(/fine$/);
    expect(await oldest).toBe('');
    for (let index = 0; index < 2; index += 1) open('', '127.0.1.2');
    expect(await next).toBe('');
    await vi.waitFor(async () => expect(await count()).toBe(6));
    expect(many.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false, false]);
    // Four against two: three of each would be no better for anybody.
    await heard(open('', '127.0.1.1'));
    expect(await count()).toBe(6);
  });

  test('keep a proxy waiting, and end none of its connections for another', async () => {
    const { open, count } = await listenWith({ total: 3, isTrusted: (address) => address === '127.0.1.1' });
    const ofProxy = [open('', '127.0.1.1'), open('', '127.0.1.1'), open('', '127.0.1.1')];
    await vi.waitFor(async () => expect(await count()).toBe(3));
    await heard(open('', '127.0.1.2'));
    await heard(open('', '127.0.1.1'));
    expect(ofProxy.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  });
});

test('what the product allows a connection is what it promises', () => {
  expect(connectionLimits).toMatchObject({ headersMs: 10_000, idleMs: 60_000, perAddress: 1_024 });
  expect(connectionLimits.total).toBeGreaterThan(0);
  expect(connectionLimits.total).toBeLessThanOrEqual(8_192);
});

const ask = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

describe('thousands of connections that ask for nothing', () => {
  test('keep nobody from being served, and are ended when their time has come', async () => {
    const perAddress = 500;
    const addresses = Math.min(20, Math.floor((maxDescriptors() - 1_000) / 2 / perAddress));
    const anHour = 3_600_000;
    const { server, open, count } = await listenWith({ headersMs: anHour, total: 20_000, isTrusted: () => false });
    const silent: Socket[] = [];
    for (let address = 1; address <= addresses; address += 1) {
      for (let index = 0; index < perAddress; index += 1) silent.push(open('', `127.0.1.${address}`));
      // Thousands at once would overflow the queue of the system, which lets a connection try again a minute later.
      await vi.waitFor(async () => expect(await count()).toBe(silent.length), { interval: 5 });
    }
    const others = await Promise.all(Array.from({ length: 100 }, () => heard(open(ask, '127.0.2.1'))));
    expect(others.filter((text) => text.endsWith('fine'))).toHaveLength(100);
    const ended = Promise.all(silent.map(heard));
    server.headersTimeout = 1;
    await ended;
    server.headersTimeout = anHour;
    expect(await heard(open(ask))).toContain('fine');
  });
});

/** Each connection takes two of this process: it is its own client. */
function maxDescriptors(): number {
  const [, most] = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(most ?? 0);
}
