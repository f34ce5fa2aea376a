import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { derivedPath, storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { personOf, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const { database, idSets } = server.services;
const admin = await putPerson(server, 'root', 'admin');
const basic = await putPerson(server, 'bob');

/** A video with a sheet of its own. */
async function put(id: string) {
  await idSets.write((transaction, changes) => storeVideos(transaction, changes, 1, { id, path: id }));
  const webp = Buffer.from(`the sheet of ${id}`);
  return { url: `/api/videos/${id}/storyboard`, webp, content: await storeStoryboard(server, id, webp) };
}

test('a sheet is sent to everybody, and kept by the address that names it', async () => {
  const { url, webp, content } = await put('seen');
  for (const [query, cacheControl] of [
    [`?version=${content}`, 'private, max-age=31536000, immutable'],
    ['', 'private, no-cache'],
    [`?version=${'0'.repeat(40)}`, 'private, no-cache'],
  ]) {
    const reply = await server.get(`${url}${query}`);
    expect(reply.rawPayload.equals(webp)).toBe(true);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': cacheControl,
      etag: `"${content}"`,
      'x-content-type-options': 'nosniff',
    });
  }
  const again = await server.get(url, { 'if-none-match': `"${content}"` });
  expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
});

test('of a hidden video it is sent to administrators alone, also to an element that sends their cookie', async () => {
  const { url } = await put('hidden');
  await server.call('PUT', '/api/admin/videos/hidden/hidden', { headers: admin.headers });
  const statusFor = async (headers: Record<string, string>) => (await server.get(url, headers)).statusCode;
  expect(await statusFor({})).toBe(404);
  expect(await statusFor(basic.headers)).toBe(404);
  expect(await statusFor(admin.headers)).toBe(200);
  const signedIn = await signIn(server, 'root');
  expect(personOf(signedIn).username).toBe('root');
  const cookie = signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  expect(await statusFor({ cookie })).toBe(200);
});

test('of a file that has changed since, and of what is no video, it is 404', async () => {
  const { url } = await put('changed');
  await database.write((transaction) =>
    transaction.updateTable('videos').set({ modified_us: 99 }).where('id', '=', 'changed').execute(),
  );
  for (const missing of [url, '/api/videos/none/storyboard', '/api/videos/..%2f..%2fetc/storyboard'])
    expect((await server.get(missing)).statusCode).toBe(404);
});

test('whose file is gone is 404, and is on the list no more', async () => {
  const { url, content } = await put('gone');
  rmSync(derivedPath(server, content, '.webp'));
  expect((await server.get(url)).statusCode).toBe(404);
  const rows = await database.reader.selectFrom('storyboards').select('content').execute();
  expect(rows.map((row) => row.content)).not.toContain(content);
});

test('a site that is closed sends none', async () => {
  const closed = await startServer({ env: { SITE_PASSWORD: 'open sesame' } });
  expect((await closed.get('/api/videos/seen/storyboard')).json().error).toBe('site_password_required');
});
