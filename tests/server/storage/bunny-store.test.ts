import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { RemoteCopies } from '#server/storage/remote-copies.ts';
import { partBytes } from '#server/storage/storage.ts';
import { BucketStorage } from '#server/storage/stores/bucket-storage.ts';
import { BunnyClient, readBunnyAddress } from '#server/storage/stores/bunny-client.ts';
import { isPartsLost, StoreAway, StoreRefusal } from '#server/storage/stores/store-calls.ts';
import { box } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { openBunnyZone } from '#tests/support/storage/bunny-store.ts';
import { provesStorage } from '#tests/support/storage/storage-contract.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const zone = await openBunnyZone(afterFile);
let places = 0;

beforeEach(() => {
  zone.before = () => null;
});

function open(patienceMs?: number, place = String(places++)) {
  const client = new BunnyClient(readBunnyAddress(zone.url(place), zone.secret), {
    ...(patienceMs !== undefined && { patienceMs }),
    pause: async () => {},
  });
  const storage = new BucketStorage(
    client,
    'films/',
    new RemoteCopies(join(temporaryFolder(), 'copies'), async () => 1e9),
  );
  return { client, storage, place };
}

const partOf = (number: number, bytes: Buffer) => ({
  number,
  bytes,
  md5: createHash('md5').update(bytes).digest('base64'),
});

describe('a storage zone of bunny.net', () => {
  provesStorage(() => open().storage);

  test('takes a large file in one call, and the parts of an upload one by one', async () => {
    const { storage, place } = open();
    const bytes = Buffer.alloc(17 * 1024 * 1024, 'four videos');
    const calls = zone.calls.length;
    await storage.put('film', [bytes].values() as never, { bytes: bytes.length, type: 'video/mp4' });
    expect(zone.calls.slice(calls).map(({ method }) => method)).toEqual(['PUT', 'DESCRIBE']);

    const id = await storage.beginParts('joined', 'video/mp4');
    const parts = [];
    for (const [at, text] of ['one', 'two', 'three'].entries())
      parts.push({ number: at + 1, etag: await storage.putPart('joined', id, partOf(at + 1, Buffer.from(text))) });
    expect(await listParts(storage)).toEqual(['joined']);
    await storage.joinParts('joined', id, parts);
    expect((await storage.read('joined'))?.toString()).toBe('onetwothree');
    expect([...zone.files.keys()].filter((path) => path.startsWith(place) && path.includes('multiparts'))).toEqual([]);
    // The answer may have been lost.
    await storage.joinParts('joined', id, parts);
    expect(await listParts(storage)).toEqual([]);
  });

  test('says that it is still at work on a file that takes long, and then that it is there', async () => {
    const { storage } = open(100);
    const id = await storage.beginParts('slow', 'video/mp4');
    const parts = [{ number: 1, etag: await storage.putPart('slow', id, partOf(1, Buffer.from('slow'))) }];
    const { promise, resolve } = Promise.withResolvers<null>();
    zone.before = (method, path) => (method === 'PUT' && path.endsWith('/slow') ? promise : null);
    await expect(storage.joinParts('slow', id, parts)).rejects.toThrow('still puts the file together');
    resolve(null);
    await expect.poll(() => storage.find('slow')).toMatchObject({ bytes: 4 });
    const puts = () => zone.calls.filter(({ method, path }) => method === 'PUT' && path.endsWith('films/slow')).length;
    await expect
      .poll(() =>
        storage.joinParts('slow', id, parts).then(
          () => 'joined',
          () => 'not yet',
        ),
      )
      .toBe('joined');
    expect(puts()).toBe(1);
  });

  test('joins no parts that are gone, or are others', async () => {
    const { storage } = open();
    const id = await storage.beginParts('film', 'video/mp4');
    const etag = await storage.putPart('film', id, partOf(1, Buffer.from('one')));
    const lost = await storage.joinParts('film', id, [{ number: 1, etag: 'A' }]).catch((error: unknown) => error);
    expect(isPartsLost(lost)).toBe(true);
    await storage.dropParts('film', id);
    const gone = await storage.joinParts('film', id, [{ number: 1, etag }]).catch((error: unknown) => error);
    expect(isPartsLost(gone)).toBe(true);
  });

  test('keeps nothing whose bytes are not those that were sent', async () => {
    const { client, place } = open();
    zone.before = (method, path) => {
      const file = zone.files.get(path);
      if (method === 'DESCRIBE' && file !== undefined)
        file.bytes = Buffer.concat([file.bytes.subarray(1), Buffer.from('x')]);
      return null;
    };
    const chunks = [Buffer.from('four'), Buffer.from('fold')].values() as never;
    await expect(client.putStream('film', { length: 8, chunks }, 'video/mp4')).rejects.toThrow(StoreAway);
    expect(zone.files.has(`${place}/film`)).toBe(false);
  });

  test('refuses a wrong password, and is asked again after a fault', async () => {
    const { client, storage } = open();
    let faults = 2;
    zone.before = () => (faults-- > 0 ? 503 : null);
    await client.put('film', Buffer.from('four'), 'video/mp4');
    expect(client.facts.retries).toBe(2);
    zone.before = () => 401;
    const refused = await storage.find('film').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreRefusal);
    expect(String(refused)).not.toContain(zone.secret);
  });
});

test('uploads into a storage zone arrive in parts, play from there, and leave nothing when they are deleted', async () => {
  const env = { STORAGE_URL: zone.url('site'), STORAGE_SECRET: zone.secret, DERIVED_GB: '1' };
  const server = await startServer({ env });
  const ada = await putUploader(server, 'ada');
  const head = videoBytes();
  const film = Buffer.concat([head, box('free', Buffer.alloc(2 * partBytes, 'rest'))]);
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  expect((await upload.put(film)).statusCode).toBe(201);
  expect([...zone.files.keys()].filter((path) => path.startsWith('site/multiparts/'))).toHaveLength(3);
  const completed = (await upload.complete(ada)).json();
  expect(completed).toMatchObject({ success: true, videos: [{ size: film.length }] });
  expect((await server.get(completed.videos[0].url)).rawPayload.equals(film)).toBe(true);
  const part = await server.get(completed.videos[0].url, { range: `bytes=${partBytes - 5}-${partBytes + 4}` });
  expect(part.rawPayload.equals(film.subarray(partBytes - 5, partBytes + 5))).toBe(true);
  const headers = ada.headers;
  await server.call('DELETE', `/api/upload/file/${completed.files[0].id}`, { headers });
  const admin = await putUploader(server, 'root', 'admin');
  await server.call('DELETE', `/api/admin/uploads/removed/${completed.files[0].id}`, { headers: admin.headers });
  expect([...zone.files.keys()].filter((path) => path.startsWith('site/'))).toEqual(['site/fourfold-site.json']);
  // Another site does not start there.
  await expect(startServer({ env })).rejects.toThrow('another site');
});

test.each([
  ['bunny://storage.bunnycdn.com/films', 'has to name a storage zone'],
  ['bunny://zone:secret@storage.bunnycdn.com', 'may not hold the secret'],
  ['bunny://zone@storage.bunnycdn.com?region=de', 'knows no region'],
  ['bunny://zone@storage.bunnycdn.com?tls=off', 'may have tls=off only'],
])('%s is refused in words', (address, words) => {
  expect(() => readBunnyAddress(address, 'secret')).toThrow(words);
});

async function listParts(storage: BucketStorage): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of storage.listParts('')) names.push(name);
  return names;
}
