import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { NewestVersion } from '#server/features/site/newest-version.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
const { database } = server.services;

let answer = (reply: ServerResponse) => void reply.end();
const tell = (text: string) => {
  answer = (reply) => void reply.end(text);
};
let asked = 0;
const teller = createServer((_request, reply) => {
  asked += 1;
  answer(reply);
}).listen(0, '127.0.0.1');
await once(teller, 'listening');
afterAll(() => teller.close());
const url = `http://127.0.0.1:${(teller.address() as AddressInfo).port}/package.json`;

const nodeWith = (version: string, address: string | undefined = url) =>
  new NewestVersion({ version, url: address, clock, database });
const passDay = () => clock.pass(24 * 3_600_000);

test('a site whose operator names no address asks nobody', async () => {
  const nobody = new NewestVersion({ version: '1.2.3', url: undefined, clock, database });
  expect(await nobody.read()).toBeNull();
});

test('servers that share a database ask once a day together, also after a restart', async () => {
  passDay();
  asked = 0;
  tell('{"version":"1.3.0"}');
  await nodeWith('1.2.3').read();
  const known = { newest: '1.3.0', is_newer: true };
  expect(await Promise.all([nodeWith('1.2.3').read(), nodeWith('1.2.3').read()])).toEqual([known, known]);
  expect(asked).toBe(1);
  passDay();
  await Promise.all([nodeWith('1.2.3').read(), nodeWith('1.2.3').read()]);
  expect(asked).toBe(2);
});

test('another address is asked at once', async () => {
  asked = 0;
  tell('{"version":"1.4.0"}');
  expect(await nodeWith('1.2.3', `${url}?other`).read()).toEqual({ newest: '1.4.0', is_newer: true });
  expect(asked).toBe(1);
});

test.each([
  ['{"version":"1.2.4"}', '1.2.4', true],
  ['{"tag_name":"v2.0.0","name":"Two"}', '2.0.0', true],
  ['{"version":"1.10.0"}', '1.10.0', true],
  ['{"version":"1.2.3"}', '1.2.3', false],
  ['{"version":"1.2.3+build.5"}', '1.2.3+build.5', false],
  ['{"version":"1.2.3-beta.1"}', '1.2.3-beta.1', false],
  ['{"version":"0.9.9"}', '0.9.9', false],
  ['{"version":"1.3"}', null, false],
  ['{"version":"1.3.0 <b>"}', null, false],
  ['{"version":7}', null, false],
  ['[]', null, false],
  ['<html>', null, false],
])('the answer %s is read as %s', async (text, newest, is_newer) => {
  passDay();
  tell(text);
  expect(await nodeWith('1.2.3').read()).toEqual({ newest, is_newer });
});

test('a pre-release hears of its release', async () => {
  passDay();
  tell('{"version":"1.3.0"}');
  expect(await nodeWith('1.3.0-rc.1').read()).toEqual({ newest: '1.3.0', is_newer: true });
});

test('an answer that is too large, leads elsewhere or breaks off is no version', async () => {
  const version = '{"version":"9.9.9"}';
  for (const [what, refused] of [
    ['large', (reply) => void reply.end(version.padEnd(300_000))],
    ['a redirect', (reply) => void reply.writeHead(302, { location: `${url}?again` }).end(version)],
    ['an error', (reply) => void reply.writeHead(404).end(version)],
    [
      'broken off',
      (reply) => void reply.writeHead(200, { 'content-length': '500' }).write(version, () => reply.destroy()),
    ],
  ] as [string, typeof answer][]) {
    passDay();
    answer = refused;
    expect([what, await nodeWith('1.2.3').read()]).toEqual([what, { newest: null, is_newer: false }]);
  }
});
