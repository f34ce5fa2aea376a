import { once } from 'node:events';
import { linkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeInstallation } from '#tests/support/installation.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const patient = { interval: 100 };

test('a fault that nobody expected is written down, and the server stops gently, with a code of its own', async () => {
  const plant = `--import=${new URL('../../support/planted-faults.mjs', import.meta.url).href}`;
  const installation = await makeInstallation();
  const run = () => installation.run({ env: { NODE_OPTIONS: plant, NODE_ENV: 'production' } });
  let [server, seconds] = [await run(), 77];
  // An error that nobody catches, then a promise whose failure nobody hears.
  for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
    seconds += 1;
    expect(await server.write(seconds)).toBe(200);
    server.kill(signal);
    const said = await server.says(/planted fault/);
    expect(said).toMatch(/"level":"fatal".*planted fault/);
    expect(await server.ended(), signal).toBe(70);
    server = await run();
    expect(await server.read(), `after ${signal}`).toBe(seconds);
  }
});

test('a server without descriptors to spare lives, and serves again once there are some', async () => {
  const installation = await makeInstallation();
  const server = await installation.run({ openFiles: 128 });
  const { hostname, port } = new URL(server.origin);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let count = 0; count < 300; count += 1) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    // Something to look at, and to make posters of, meanwhile.
    if (count % 50 === 0)
      linkSync(join(installation.library, 'a.mp4'), join(installation.library, `more-${count}.mp4`));
  }
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect((await fetch(`${server.origin}/readyz`)).status).toBe(200), patient);
  await vi.waitFor(async () => expect(await server.write(78)).toBe(200), patient);
  expect(await server.pick()).toBe(200);
  server.kill('SIGTERM');
  expect(await server.ended()).toBe(0);
});

test('a data folder that is a loop while the server runs ends nothing', async () => {
  const installation = await makeInstallation();
  const link = join(temporaryFolder(), 'data');
  symlinkSync(installation.dataFolder, link);
  const server = await installation.run({ env: { DATA_DIR: link } });
  expect(await server.write(80)).toBe(200);
  renameSync(link, `${link}-aside`);
  symlinkSync(link, link);
  await server.says(/cannot be looked after/);
  expect(await server.write(81)).toBe(503);
  expect(await server.pick()).toBe(200);
  unlinkSync(link);
  renameSync(`${link}-aside`, link);
  await vi.waitFor(async () => expect(await server.write(82)).toBe(200), patient);
  server.kill('SIGTERM');
  expect(await server.ended()).toBe(0);
});
