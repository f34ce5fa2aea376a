import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Executor } from '#server/database/tables.ts';
import { password, personOf, putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { storeUpload } from '#tests/support/stored-uploads.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader } from '#tests/support/uploads.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
const { database } = server.services;

/** Has each write done as `act` does it, until the test is over or the returned function is called. */
function writing(act: (transaction: Executor) => Promise<void>, after = async (_: Executor) => {}): () => void {
  const write = database.write.bind(database);
  const spy = vi.spyOn(database, 'write').mockImplementation((work) =>
    write(async (transaction) => {
      await act(transaction);
      try {
        return await work(transaction);
      } finally {
        await after(transaction);
      }
    }),
  );
  onTestFinished(() => spy.mockRestore());
  return () => spy.mockRestore();
}

const runs = (statement: string) => async (transaction: Executor) =>
  void (await sql.raw(statement).execute(transaction));

const onlyReads = () =>
  database.dialect.kind === 'sqlite'
    ? writing(runs('pragma query_only = 1'), runs('pragma query_only = 0'))
    : writing(runs('set transaction read only'));

const full = Object.assign(new Error('full'), {
  code: database.dialect.kind === 'sqlite' ? 'SQLITE_FULL' : '53100',
});

const refresh = (on: ServerUnderTest, refresh_token: string) =>
  on.call('POST', '/auth/refresh', { payload: { refresh_token } });

test('a database that only reads ends no session: its token stays the newest one, and what writes is told to come back', async () => {
  const ada = await putPerson(server, 'ada');
  const endReading = onlyReads();
  const renewed = await refresh(server, ada.refreshToken);
  expect([renewed.statusCode, renewed.json().refresh_token]).toEqual([200, ada.refreshToken]);
  expect((await server.get('/auth/me', personOf(renewed).headers)).statusCode).toBe(200);
  const refused = await server.call('POST', '/api/tags', { headers: ada.headers, payload: { name: 'Sea' } });
  expect([refused.statusCode, refused.json().error]).toEqual([503, 'unavailable']);
  endReading();
  const next = await refresh(server, ada.refreshToken);
  expect(next.statusCode).toBe(200);
  expect(next.json().refresh_token).not.toBe(ada.refreshToken);
});

test('a full disk renews the newest token of a session alone', async () => {
  await putPerson(server, 'bob');
  const first = personOf(await signIn(server, 'bob', { payload: { password } }));
  const second = personOf(await refresh(server, first.refreshToken));
  clock.pass(60_000);
  writing(async () => {
    throw full;
  });
  expect((await refresh(server, second.refreshToken)).json().refresh_token).toBe(second.refreshToken);
  const old = await refresh(server, first.refreshToken);
  expect([old.statusCode, old.json().error]).toEqual([507, 'out_of_space']);
  expect((await refresh(server, `${second.refreshToken}x`)).statusCode).toBe(401);
});

test('an administrator deletes a removed upload for good on a full disk, which takes no row before its bytes are gone', async () => {
  const [boss, carl] = [await putUploader(server, 'boss', 'admin'), await putUploader(server, 'carl')];
  const upload = await storeUpload(server, carl.id);
  expect((await server.call('DELETE', `/api/upload/file/${upload.id}`, { headers: carl.headers })).statusCode).toBe(
    204,
  );
  expect(existsSync(upload.file)).toBe(true);
  writing(async () => {
    if (existsSync(upload.file)) throw full;
  });
  const address = `/api/admin/uploads/removed/${upload.id}`;
  expect((await server.call('DELETE', address, { headers: boss.headers })).statusCode).toBe(204);
  expect(existsSync(upload.file)).toBe(false);
  expect((await server.call('DELETE', address, { headers: boss.headers })).statusCode).toBe(404);
});
