import { execFile, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readSettings } from '#server/features/site/settings.ts';
import { nodeRepository } from '#server/nodes/node-repository.ts';
import { SharedTexts } from '#server/nodes/shared-texts.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { ServerProcess } from '#tests/support/processes/server-process.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const patient = { timeout: 120_000, interval: 100 };

function libraryWith(...names: string[]): string {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  return folder;
}

async function rootsOf({ services }: ServerUnderTest) {
  return services.database.reader.selectFrom('library_roots').selectAll().orderBy('number').execute();
}

async function listNodes({ services: { database } }: ServerUnderTest) {
  return nodeRepository.list(database.reader, database.dialect);
}

describe('a server that would harm another one of its site', () => {
  test.each<[string, (site: Record<string, string>) => Record<string, string>, RegExp]>([
    ['keeps its files in another folder', (site) => ({ ...site, DATA_DIR: temporaryFolder() }), /DATA_DIR is another/],
    ['has another library', (site) => ({ ...site, LIBRARY_DIRS: temporaryFolder() }), /LIBRARY_DIRS and LIBRARY_URLS/],
    ['makes its own certificate', (site) => ({ ...site, TLS: 'local', HTTP_PORT: '0' }), /TLS=local/],
  ])('does not start where it %s, and changes nothing', async (_, differ, why) => {
    const site: Record<string, string> = { ...(await migratedSite()), LIBRARY_DIRS: libraryWith('a.mp4') };
    const first = await startServer({ env: site });
    await first.services.scanner.request();
    const [roots, nodes] = [await rootsOf(first), await listNodes(first)];
    const second = runServer(differ(site));
    const said = await second.says(/harm each other[\s\S]*\n[\s\S]*\n/);
    expect(await second.ended()).toBe(78);
    expect(said).toMatch(why);
    expect(said).toContain(nodes[0]?.name);
    expect(await rootsOf(first)).toEqual(roots);
    expect((await listNodes(first)).map(({ id }) => id)).toEqual(nodes.map(({ id }) => id));
    expect((await first.get('/api/status')).json()).toMatchObject({ AvailableVideos: 1 });
  });

  test('starts where that one is dead, however short ago', async () => {
    const site = await siteWith(temporaryFolder());
    const first = runServer(site);
    await first.address();
    first.kill('SIGKILL');
    await first.ended();
    const second = runServer({ ...site, LIBRARY_DIRS: libraryWith('a.mp4') });
    expect(await second.says(/Looked through/)).toContain('1 video');
  });
});

describe('a server without folders', () => {
  test('leaves those of the others as they are', async () => {
    const site = await migratedSite();
    const library = libraryWith('a.mp4');
    const first = await startServer({ library: [library], env: site });
    const roots = await rootsOf(first);
    const second = await startServer({ env: { ...site, LIBRARY: 'none', LIBRARY_DIRS: '' } });
    expect(await rootsOf(second)).toEqual(roots);
    expect((await second.get('/api/status')).json()).toMatchObject({ AvailableVideos: 1 });
    expect((await second.get('/readyz')).statusCode).toBe(200);
    expect((await second.get('/api/video/stream?path=a.mp4')).statusCode).toBe(200);
  });
});

type Site = Record<string, string>;

async function siteWith(library: string): Promise<Site> {
  return { ...(await migratedSite()), LIBRARY_DIRS: library, FFMPEG_PATH: '/none' };
}

async function runNodes(site: Site, ...args: string[]): Promise<string> {
  return run(site, 'src/server/services/nodes-command.ts', ...args);
}

async function run(site: Site, ...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: { PATH: process.env.PATH, ...site } });
  return stdout;
}

test('the settings of a site are listed on a machine that keeps none of its files', async () => {
  const site = { ...(await migratedSite()), DATA_DIR: join(temporaryFolder(), 'none') };
  const said = await run(site, 'src/server/features/site/settings-command.ts');
  expect(said).toMatch(/REGISTRATION +default/);
});

/** A real server that has looked through the library. */
async function startFirst(site: Site, hiddenFolder?: string): Promise<ServerProcess> {
  const server = runServer(site, { hiddenFolder });
  await server.says(/Looked through/);
  return server;
}

async function countAvailable(server: ServerProcess): Promise<number> {
  const status = await fetch(`${await server.address()}/api/status`);
  return ((await status.json()) as { AvailableVideos: number }).AvailableVideos;
}

const canHide =
  spawnSync('unshare', ['--mount', '--map-root-user', 'sh', '-c', 'mount -t tmpfs none /mnt'], { stdio: 'ignore' })
    .status === 0;

describe.runIf(canHide)('a folder of the library that only one of two servers has mounted', () => {
  test('stays in the library, is not ready where it is away, and plays where it is', async () => {
    const library = libraryWith('a.mp4');
    const site = await siteWith(library);
    const there = await (await startFirst(site)).address();
    const second = runServer(site, { hiddenFolder: library });
    const away = await second.address();
    const readiness = await fetch(`${away}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.text()).toContain(library);
    const refused = await fetch(`${away}/api/video/stream?path=a.mp4`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await fetch(`${there}/api/video/stream?path=a.mp4`)).status).toBe(200);
    expect(await countAvailable(second)).toBe(1);
    expect((await fetch(`${there}/readyz`)).status).toBe(200);
  });

  test('is scanned by the one that has it, although the other one began first', async () => {
    const library = libraryWith('a.mp4');
    const site = await siteWith(library);
    await startFirst(site, library);
    const sighted = runServer(site);
    await expect.poll(() => countAvailable(sighted), patient).toBe(1);
  });
});

describe('what one server does for all', () => {
  test('goes to another one when its own is frozen or killed', async () => {
    const library = libraryWith('a.mp4');
    const site = await siteWith(library);
    const first = await startFirst(site);
    const second = runServer(site);
    await second.address();
    first.kill('SIGSTOP');
    putVideos(library, 'b.mp4');
    await expect.poll(() => countAvailable(second), patient).toBe(2);
    first.kill('SIGCONT');
    second.kill('SIGKILL');
    putVideos(library, 'c.mp4');
    await expect.poll(() => countAvailable(first), patient).toBe(3);
  });
});

describe('a server that leaves', () => {
  test('is not ready at once, goes on to answer on connections that end, and is gone from the others', async () => {
    const site = { ...(await siteWith(libraryWith('a.mp4'))), DRAIN_SECONDS: '60' };
    const stays = await startFirst(site);
    const leaves = runServer({ ...site, ROLE: 'web' });
    const address = await leaves.address();
    await expect.poll(() => runNodes(site), patient).toMatch(/web .*ready/);
    const name = /(\S+) +web/.exec(await runNodes(site))?.[1] ?? '';
    expect(await runNodes(site, 'drain', name)).toContain('leaves');
    await leaves.says(/Stopping/);
    await expect.poll(async () => (await fetch(`${address}/readyz`)).status, patient).toBe(503);
    const answer = await fetch(`${address}/api/status`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await runNodes(site)).toMatch(/web .*draining/);
    expect((await fetch(`${await stays.address()}/readyz`)).status).toBe(200);
    leaves.kill('SIGTERM');
    await leaves.ended();
    expect(await runNodes(site)).not.toMatch(/web/);
  });

  test('does not wait where it is alone', async () => {
    const server = runServer({ ...(await siteWith(temporaryFolder())), DRAIN_SECONDS: '60' });
    await server.address();
    server.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
  });
});

describe('a server of a role', () => {
  test('answers monitors alone where it only runs jobs', async () => {
    const site = await siteWith(libraryWith('a.mp4'));
    const server = runServer({ ...site, ROLE: 'jobs' });
    const address = await server.address();
    await server.says(/Looked through/);
    const status = async (path: string) => (await fetch(`${address}${path}`)).status;
    expect([await status('/healthz'), await status('/readyz'), await status('/api/status'), await status('/')]).toEqual(
      [200, 200, 404, 404],
    );
  });

  test('queues what others can do, where it runs no jobs itself', async () => {
    const library = libraryWith('a.mp4');
    const site = await migratedSite();
    const works = await startServer({ library: [library], env: site });
    await works.services.posters.open();
    const answers = await startServer({ library: [library], env: { ...site, ROLE: 'web' } });
    await answers.services.posters.open();
    const found = await answers.services.database.reader.selectFrom('nodes').select(['role', 'kinds']).execute();
    expect(found.map(({ role }) => role).sort()).toEqual(['all', 'web']);
    await expect.poll(() => answers.services.jobs.canBeDone('poster'), patient).toBe(true);
    expect(answers.services.jobs.offered()).toEqual([]);
    await answers.services.posters.queueMissing();
    const state = async () =>
      (
        await works.services.database.reader.selectFrom('jobs').select('state').where('kind', '=', 'poster').execute()
      )[0]?.state;
    await expect.poll(state, patient).toBe('done');
  });
});

test('a text of the operator that one server has is read on all of them, and is gone with its file', async () => {
  const site: Site = { ...(await migratedSite()), STORAGE_URL: '' };
  putFile(site.DATA_DIR ?? '', 'whats-new.md', '# Ours');
  const first = await startServer({ env: site });
  // Another folder, as where files lie in a store.
  const elsewhere = new SharedTexts({ ...first.services, folder: temporaryFolder() });
  expect(await elsewhere.read('whats-new.md')).toBe('# Ours');
  expect(await elsewhere.read('eula.md')).toBeNull();
  const there = { ...first.services, texts: elsewhere };
  const sourceThere = async (wanted: string) =>
    (await readSettings(there)).settings.find(({ name }) => name === wanted)?.source;
  expect([await sourceThere('WHATS_NEW'), await sourceThere('AGREEMENT')]).toEqual(['file', 'default']);
  rmSync(join(site.DATA_DIR ?? '', 'whats-new.md'));
  await first.services.texts.share();
  expect(await elsewhere.read('whats-new.md')).toBeNull();
});
