import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, Socket } from 'node:net';
import { assert, integer, property } from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { Deliveries } from '#server/http/connections/deliveries.ts';
import type { Delivery } from '#server/http/connections/sent-bytes.ts';
import type { SocketFlow } from '#server/http/connections/unread-bytes.ts';
import { openSocketQueue } from '#server/http/connections/unread-bytes.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const nothing: SocketFlow = { acked: 0, busyMs: 0, unreadMs: 0, isUnderWay: false };

function viewer() {
  const deliveries: Delivery[] = [];
  return { deliveries, delivered: (delivery: Delivery) => void deliveries.push(delivery) };
}

/** Connections of which the kernel says what a test has it say. */
function openDeliveries() {
  const clock = settableClock();
  const flows = new Map<number, SocketFlow>();
  const deliveries = new Deliveries({ flow: (descriptor) => flows.get(descriptor) ?? null }, clock);
  onTestFinished(() => {
    flows.clear();
    deliveries.check();
  });
  return {
    deliveries,
    clock,
    connect() {
      const descriptor = flows.size + 1;
      flows.set(descriptor, nothing);
      const socket = Object.assign(new Socket(), { _handle: { fd: descriptor } });
      return {
        socket,
        close: () => flows.delete(descriptor),
        flows(more: Partial<SocketFlow>): void {
          const { acked, busyMs, unreadMs } = flows.get(descriptor) ?? nothing;
          flows.set(descriptor, {
            acked: acked + (more.acked ?? 0),
            busyMs: busyMs + (more.busyMs ?? 0),
            unreadMs: unreadMs + (more.unreadMs ?? 0),
            isUnderWay: more.isUnderWay ?? false,
          });
        },
      };
    },
  };
}

describe('a viewer hears once a second', () => {
  test('what came, and how long it was under way while they read', () => {
    const { deliveries, clock, connect } = openDeliveries();
    const [ada, { socket, flows }] = [viewer(), connect()];
    deliveries.begin(socket, ada);
    clock.pass(1_000);
    flows({ acked: 500_000, busyMs: 900, unreadMs: 650, isUnderWay: true });
    deliveries.check();
    expect(ada.deliveries).toEqual([{ bytes: 500_000, ms: 250 }]);
  });

  test('nothing of the time in which a full player does not read', () => {
    const { deliveries, clock, connect } = openDeliveries();
    const [ada, { socket, flows }] = [viewer(), connect()];
    deliveries.begin(socket, ada);
    for (let second = 0; second < 30; second += 1) {
      clock.pass(1_000);
      flows({ busyMs: 1_000, unreadMs: 1_000, isUnderWay: true });
      deliveries.check();
    }
    expect(ada.deliveries).toEqual([]);
  });

  test('of two connections at once the sum of the bytes and the time of one; of two after another that of both', () => {
    const { deliveries, clock, connect } = openDeliveries();
    const [ada, first, second] = [viewer(), connect(), connect()];
    for (const { socket } of [first, second]) deliveries.begin(socket, ada)();
    clock.pass(1_000);
    for (const { flows } of [first, second]) flows({ acked: 100, busyMs: 400 });
    deliveries.check();
    deliveries.begin(first.socket, ada)();
    clock.pass(500);
    first.flows({ acked: 100, busyMs: 400 });
    deliveries.begin(second.socket, ada)();
    clock.pass(500);
    second.flows({ acked: 100, busyMs: 400 });
    deliveries.check();
    expect(ada.deliveries).toEqual([
      { bytes: 200, ms: 400 },
      { bytes: 200, ms: 800 },
    ]);
  });

  test('nothing of others: each has what came on their connections', () => {
    const { deliveries, clock, connect } = openDeliveries();
    const [ada, bob, first, second] = [viewer(), viewer(), connect(), connect()];
    deliveries.begin(first.socket, ada);
    deliveries.begin(second.socket, bob);
    clock.pass(1_000);
    first.flows({ acked: 10, busyMs: 20 });
    second.flows({ acked: 30, busyMs: 40 });
    deliveries.check();
    expect([ada.deliveries, bob.deliveries]).toEqual([[{ bytes: 10, ms: 20 }], [{ bytes: 30, ms: 40 }]]);
  });

  test('also of the last answer before a connection closes', () => {
    const { deliveries, clock, connect } = openDeliveries();
    const [ada, { socket, flows, close }] = [viewer(), connect()];
    const end = deliveries.begin(socket, ada);
    clock.pass(300);
    flows({ acked: 10, busyMs: 20 });
    end();
    close();
    deliveries.check();
    expect(ada.deliveries).toEqual([{ bytes: 10, ms: 20 }]);
  });
});

test('a connection is followed until what it was given has come, long after its answer has been written', () => {
  const { deliveries, clock, connect } = openDeliveries();
  const [ada, { socket, flows }] = [viewer(), connect()];
  deliveries.begin(socket, ada)();
  for (const isUnderWay of [true, true, false]) {
    clock.pass(1_000);
    flows({ acked: 100, busyMs: 1_000, isUnderWay });
    deliveries.check();
  }
  flows({ acked: 7, busyMs: 7 });
  deliveries.check();
  expect(ada.deliveries).toEqual(Array(3).fill({ bytes: 100, ms: 1_000 }));
});

test('the time under way is never longer than what has passed, whatever the connections say', () => {
  assert(
    property(integer({ min: 1, max: 6 }), integer({ min: 0, max: 5_000 }), (connections, busyMs) => {
      const { deliveries, clock, connect } = openDeliveries();
      const ada = viewer();
      for (let opened = 0; opened < connections; opened += 1) {
        const { socket, flows } = connect();
        deliveries.begin(socket, ada);
        flows({ acked: 1, busyMs });
      }
      clock.pass(1_000);
      deliveries.check();
      expect(ada.deliveries).toEqual([{ bytes: connections, ms: Math.min(1_000, busyMs) }]);
    }),
    { numRuns: 50 },
  );
});

test('where the system tells nothing, nothing is measured', () => {
  const deliveries = new Deliveries(null, settableClock());
  const ada = viewer();
  deliveries.begin(new Socket(), ada)();
  deliveries.check();
  expect(ada.deliveries).toEqual([]);
});

test('on a real connection, a client that stops reading is not slow', async () => {
  const queue = await openSocketQueue();
  if (queue === null) throw new Error('This system tells nothing of its sockets.');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  const deliveries = new Deliveries(queue, systemClock);
  const ada = viewer();
  deliveries.begin(socket, ada);
  socket.write(Buffer.alloc(16 * 1024 * 1024));
  const unreadMs = () => queue.flow((socket as unknown as { _handle: { fd: number } })._handle.fd)?.unreadMs ?? 0;
  await vi.waitFor(() => expect(unreadMs()).toBeGreaterThan(100), { interval: 5 });
  deliveries.check();
  const [{ bytes, ms } = { bytes: 0, ms: 0 }] = ada.deliveries;
  // What the kernels' buffers hold came at once: at far more than 10 megabits a second.
  expect((bytes * 8) / Math.max(1, ms) / 1_000).toBeGreaterThan(10);
});
