import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '#server/http/pipeline/listen.ts';
import { describeProcess } from '#server/nodes/own-process.ts';
import { settingRepository } from '#server/settings-repository.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { putPerson } from '#tests/support/people.ts';
import { runServer, startReading } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** @param file below `src/server` */
function runCommand(file: string, args: readonly string[], env: Record<string, string>) {
  const command = fileURLToPath(new URL(`../../../src/server/${file}`, import.meta.url));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: temporaryFolder(), env: { PATH, NODE_COMPILE_CACHE, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], options);
  return { status, said: `${stdout}${stderr}` };
}

test('a server that is killed between the check and the storing has stored nothing', async () => {
  const env = await migratedSite();
  const first = await startServer({ env });
  const admin = await putPerson(first, 'root', 'admin');
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const killed = runServer({ ...env, LIBRARY_DIRS: first.services.env.libraryFolders.join() });
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
  const run = (...args: string[]) =>
    runCommand('features/site/settings-command.ts', args, { ...env, UPLOADS: 'admins' });
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

test.each([
  ['features/site/settings-command.ts'],
  ['services/nodes-command.ts'],
  ['services/files-copy-command.ts', '--to', 'store'],
])('%s says that a folder holds no site, and leaves it empty for a restore', (file, ...args) => {
  const folder = temporaryFolder();
  const store = { STORAGE_URL: 's3://key@127.0.0.1:1/bucket/site?tls=off', STORAGE_SECRET: 'secret', DERIVED_GB: '1' };
  expect(runCommand(file, args, { DATA_DIR: folder, ...store })).toEqual({
    status: 1,
    said: expect.stringContaining(`There is no site in ${folder}.`),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a server that was killed is not listed, and is not said to leave', async () => {
  const env = await migratedSite();
  const { database } = (await startServer({ env })).services;
  const row = { name: 'host:1', state: 'ready', drain: 0, kinds: '[]', away: '[]', role: 'all', version: '1' } as const;
  const same = { machine: 'm', files: 'f', storage: '', library: null, tls_local: 0, started_at: 1 } as const;
  // The first process of a machine began before all others.
  const process = describeProcess().text.replace(/\d+:\d+$/, '1:1');
  await database.write((transaction) =>
    transaction
      .insertInto('nodes')
      .values({ ...row, ...same, id: 'killed', process, seen_at: 1 })
      .execute(),
  );
  const nodes = (...args: string[]) => runCommand('services/nodes-command.ts', args, env);
  expect(nodes().said).not.toContain('host:1 ');
  expect(nodes('drain', 'host:1')).toEqual({
    status: 1,
    said: expect.stringContaining('No server called host:1 runs'),
  });
});

/** Reads a few MiB more of an answer that was begun. */
async function readOn(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const part of answer.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > 4_194_304) break;
  }
  return bytes;
}

test('four streams go on, and picks are answered, while every kind of setting changes', async () => {
  const library = temporaryFolder();
  putHugeVideo(library, 'film.mp4');
  const server = await startServer({ library: [library] });
  const { headers } = await putPerson(server, 'root', 'admin');
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  const film = `http://127.0.0.1:${port}/api/video/stream?path=film.mp4`;
  const streams = await Promise.all([1, 2, 3, 4].map(() => startReading(film)));
  onTestFinished(() => {
    for (const stream of streams) stream.destroy();
  });
  for (const values of [
    { REGISTRATION: 'closed' },
    { UPLOADS: 'admins', UPLOAD_QUOTA_GB: '5' },
    { TAG_EDITING: 'admins' },
    { DERIVED_GB: '1' },
    { PUBLIC_URL: 'https://videos.example.org', TRUST_PROXY: '10.0.0.0/8' },
    { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' },
    { BACKUP_DIR: temporaryFolder(), BACKUP_HOUR: '5' },
    { WHATS_NEW: 'Rain.' },
  ]) {
    expect((await server.call('PUT', '/api/admin/settings', { headers, payload: { values } })).statusCode).toBe(200);
    expect((await server.get('/api/video/top-left')).statusCode).toBe(200);
  }
  expect(await Promise.all(streams.map(readOn))).toEqual(
    streams.map(() => expect.toSatisfy((bytes) => bytes > 4_194_304)),
  );
});
