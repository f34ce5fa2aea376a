import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { limitPipelining, maxPipelined } from '#server/http/connections/connection-limits.ts';

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Answers nothing by itself. */
async function listen(): Promise<{ waiting: ServerResponse[]; open(text: string): Socket }> {
  const waiting: ServerResponse[] = [];
  const server = createServer(limitPipelining((_, response) => waiting.push(response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    waiting,
    open(text) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
      socket.resume().write(text);
      return socket;
    },
  };
}

test('of a thousand requests in one packet no more are handled than may wait, and the connection is cut', async () => {
  const { waiting, open } = await listen();
  await once(open(request.repeat(1_000)), 'close');
  expect(waiting.length).toBe(maxPipelined);
});

test('requests that wait for the answers before them may be as many as there are', async () => {
  const { waiting, open } = await listen();
  const socket = open('');
  for (let turn = 1; turn <= 3 * maxPipelined; turn += 1) {
    socket.write(request);
    while (waiting.length < turn) await new Promise(setImmediate);
    waiting[turn - 1]?.end('fine');
    await once(socket, 'data');
  }
  expect(socket.destroyed).toBe(false);
});

test('as many as may wait are all answered', async () => {
  const { waiting, open } = await listen();
  const socket = open(request.repeat(maxPipelined));
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  while (waiting.length < maxPipelined) await new Promise(setImmediate);
  for (const [index, response] of waiting.entries()) response.end(`answer ${index};`);
  while (!text.includes(`answer ${maxPipelined - 1};`)) await once(socket, 'data');
  expect(socket.destroyed).toBe(false);
});
