import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '#server/database/connection.ts';
import { databaseFileName } from '#server/folders.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** What a server leaves that lost its power: its row, and what it did for all. */
async function leaveTraces(site: { DATA_DIR: string; DATABASE_URL?: string }, silentMs: number): Promise<void> {
  const { DATABASE_URL: url } = site;
  const database = openDatabase(
    url === undefined ? { kind: 'sqlite', file: join(site.DATA_DIR, databaseFileName) } : { kind: 'postgres', url },
  );
  await database.write(async (transaction) => {
    const facts = { machine: 'this one', process: 'an-earlier-boot:42:4242', role: 'all', version: '1.0.0' } as const;
    const other = { files: 'another folder', storage: '', library: '/elsewhere', tls_local: 0 } as const;
    const seen_at = Date.now() - silentMs;
    const row = { id: 'before', name: 'host:4400', state: 'ready', drain: 0, kinds: '[]', away: '[]' } as const;
    await transaction
      .insertInto('nodes')
      .values({ ...row, ...facts, ...other, started_at: seen_at, seen_at })
      .execute();
    const until = url === undefined ? Number.MAX_SAFE_INTEGER : seen_at + 15_000;
    for (const name of ['library', 'library-roots', 'sweeps', 'sets-keeper'])
      await transaction.insertInto('leases').values({ name, owner: 'before', until }).execute();
    await transaction.insertInto('leases').values({ name: 'of nobody', owner: 'unknown', until }).execute();
  });
  await database.close();
}

test('a server that starts after a power cut, with other settings, goes on with what the one before did', async () => {
  const site = await migratedSite();
  await leaveTraces(site, 60_000);
  const library = temporaryFolder();
  putVideos(library, 'a.mp4');
  const { services, get } = await startServer({ library: [library], env: site });
  expect((await get('/api/status')).json()).toMatchObject({ AvailableVideos: 1 });
  await services.sweeps.seek();
  expect([services.scanLease.isHeld, services.sweeps.isHeld]).toEqual([true, true]);
  const leases = await services.database.reader.selectFrom('leases').select(['name', 'owner']).execute();
  expect(leases.map(({ owner }) => owner)).toEqual(leases.map(() => services.node));
});
