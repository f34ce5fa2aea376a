import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { shareAction } from '#contract/server-paths.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({ env: { SITE_PASSWORD: 'let me in' } }, afterFile);
const form = { 'content-type': 'multipart/form-data; boundary=x' };

test('files that are shared without the worker open the Upload page, at a closed gate as well', async () => {
  for (const headers of [form, { ...form, 'sec-fetch-site': 'none', origin: 'null' }, {}]) {
    const { statusCode, headers: told } = await server.call('POST', shareAction, { headers, payload: '--x--' });
    expect([statusCode, told.location]).toEqual([303, '/?view=upload']);
  }
});

test('nothing of them is read', async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [`POST ${shareAction} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Content-Type: ${form['content-type']}`];
  socket.write([...head, `Content-Length: ${limits.uploadBytes}`, '', '--x'].join('\r\n'));
  // Ends when the server closes the connection: the rest of 5 GB is never sent.
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 303 .*\r\nlocation: \/\?view=upload\r\n/is);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test('another site cannot open it so', async () => {
  const headers = { ...form, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  expect((await server.call('POST', shareAction, { headers, payload: '--x--' })).statusCode).toBe(403);
});
