import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { settingRepository } from '#server/settings-repository.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putPerson } from '#tests/support/people.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

test('a server that is killed between the check and the storing has stored nothing', async () => {
  const env = await migratedSite();
  const admin = await putPerson(await startServer({ env }), 'root', 'admin');
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const killed = runServer({ ...env, LIBRARY_DIRS: temporaryFolder() });
  const values = {
    REGISTRATION: 'closed',
    PUBLIC_URL: 'https://videos.example.org',
    OIDC_ISSUER: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    OIDC_CLIENT_ID: 'id',
    OIDC_CLIENT_SECRET: 'secret',
  };
  const call = fetch(`${await killed.address()}/api/admin/settings`, {
    method: 'PUT',
    headers: { ...admin.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ values }),
  });
  await asked.promise;
  killed.kill('SIGKILL');
  await expect(call).rejects.toThrow();
  await killed.ended();
  const next = await startServer({ env });
  expect(next.services.env).toMatchObject({ isRegistrationOpen: true, publicOrigin: undefined });
  expect(await settingRepository.list(next.services.database.reader)).toEqual({});
});

test('the command on the machine lists where settings come from, and resets one while the server runs', async () => {
  const env = await migratedSite();
  const server = await startServer({ env });
  const { headers } = await putPerson(server, 'root', 'admin');
  const payload = { values: { SITE_PASSWORD: 'a word that is lost' } };
  await server.call('PUT', '/api/admin/settings', { headers, payload });
  const file = fileURLToPath(new URL('../../../src/server/features/site/settings-command.ts', import.meta.url));
  const run = (...args: string[]) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const options = { cwd: temporaryFolder(), env: { PATH, NODE_COMPILE_CACHE, ...env, UPLOADS: 'admins' } };
    const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { ...options, encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  };
  const listed = run().said;
  expect(listed).toMatch(/SITE_PASSWORD +set in the browser/);
  expect(listed).toMatch(/UPLOADS +set by the environment/);
  expect(listed).not.toContain('a word that is lost');
  expect(run('reset', 'SITE_PASSWORD')).toMatchObject({
    status: 0,
    said: expect.stringContaining('its default again'),
  });
  await server.services.settings.catchUp();
  expect((await server.get('/api/config')).statusCode).toBe(200);
  expect((await server.get('/api/admin/activity', headers)).json().activities[0]).toMatchObject({
    actor: null,
    subject: 'Site password',
    detail: 'its default',
  });
  expect(run('reset', 'DATABASE_URL')).toMatchObject({ status: 64 });
});
