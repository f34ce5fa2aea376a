import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { toNeedBits, writeDeviceClass } from '#contract/rules/media-needs.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import { versionOf } from '#server/features/videos/video.ts';
import { derivedPath, storeEncoding } from '#tests/support/media/stored-encodings.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
for (const name of ['film.mp4', 'matroska.mp4', 'odd.mp4']) copyFileSync(largeVideo(), join(folder, name));
const original = readFileSync(largeVideo());
const bytes = {
  grid: Buffer.alloc(300_001, 'grid '),
  hd: Buffer.alloc(400_002, 'high definition '),
  source: Buffer.alloc(500_003, 'the same picture '),
};

const clock = settableClock();
const server = await startServer({ library: [folder], overrides: { clock } }, afterFile);
const { database, encodings } = server.services;
const basic = await putPerson(server, 'bob');
const pro = await putPerson(server, 'ada', 'pro');
const admin = await putPerson(server, 'root', 'admin');
// As if their pictures were tall, one lay in a container that few devices read, and one in one that none does.
await server.services.idSets.write(async (transaction) => {
  const change = (path: string, facts: { needs?: number; reason?: string }) =>
    transaction
      .updateTable('videos')
      .set({ height: 1080, width: 1920, ...facts })
      .where('path', '=', path)
      .execute();
  await change('film.mp4', {});
  await change('matroska.mp4', { needs: toNeedBits(['matroska']) });
  await change('odd.mp4', { reason: 'container_avi' });
});

const noted = { use: vi.spyOn(encodings, 'noteUse'), missing: vi.spyOn(encodings, 'noteMissing') };
afterAll(() => {
  noted.use.mockRestore();
  noted.missing.mockRestore();
});

beforeEach(async () => {
  await database.write((transaction) => transaction.deleteFrom('encodings').execute());
  forget();
  noted.use.mockClear();
  noted.missing.mockClear();
});

/** Rows that were read are asked for again. */
const forget = () => clock.pass(2_000);

async function store(path: string, ...names: Rendition[]): Promise<Record<Rendition, string>> {
  const contents = { grid: '', hd: '', source: '' };
  for (const name of names) contents[name] = await storeEncoding(server, path, name, bytes[name]);
  forget();
  return contents;
}

const get = (path: string, query = '', headers: Record<string, string> = {}) =>
  server.get(`/api/video/stream?path=${path}${query}`, headers);

async function originalVersion(path: string): Promise<string> {
  const row = await database.reader
    .selectFrom('videos')
    .select(['number', 'size', 'modified_us as modifiedUs'])
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
  return versionOf(row);
}

describe('a derived file', () => {
  test('is described by its own size, ETag, date and type', async () => {
    const { grid } = await store('film.mp4', 'grid');
    for (const method of ['GET', 'HEAD'] as const) {
      const reply = await server.call(method, `/api/video/stream?path=film.mp4&rendition=grid`);
      expect(reply.statusCode).toBe(200);
      expect(reply.rawPayload.equals(method === 'GET' ? bytes.grid : Buffer.alloc(0))).toBe(true);
      expect(reply.headers).toMatchObject({
        'content-length': String(bytes.grid.length),
        'content-type': 'video/mp4',
        etag: `"${grid}"`,
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
        'x-content-type-options': 'nosniff',
      });
      expect(Date.parse(String(reply.headers['last-modified']))).toBeLessThanOrEqual(clock.now());
    }
    expect(noted.use).toHaveBeenCalledWith(grid);
  });

  test('is sent in ranges exactly, and in pieces', async () => {
    await store('film.mp4', 'grid');
    const size = bytes.grid.length;
    for (const [range, first, last] of [
      ['bytes=0-9', 0, 9],
      ['bytes=299000-', 299_000, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=1-${original.length}`, 1, size - 1],
    ] as const) {
      const reply = await get('film.mp4', '&rendition=grid', { range });
      expect([reply.statusCode, reply.headers['content-range']]).toEqual([206, `bytes ${first}-${last}/${size}`]);
      expect(reply.rawPayload.equals(bytes.grid.subarray(first, last + 1))).toBe(true);
    }
    const piece = await get('film.mp4', '&rendition=grid&piece=262144', { range: 'bytes=1-' });
    expect(piece.rawPayload.equals(bytes.grid.subarray(1, 262_145))).toBe(true);
    const beyond = await get('film.mp4', '&rendition=grid', { range: `bytes=${size}-` });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${size}`]);
  });

  test('answers conditions by its own validators', async () => {
    const { grid } = await store('film.mp4', 'grid');
    const status = async (headers: Record<string, string>) =>
      (await get('film.mp4', '&rendition=grid', { range: 'bytes=0-9', ...headers })).statusCode;
    const { headers } = await get('film.mp4', '&rendition=source', pro.headers);
    const [etag, modified] = [String(headers.etag), String(headers['last-modified'])];
    expect(await status({ 'if-range': `"${grid}"` })).toBe(206);
    expect(await status({ 'if-range': etag })).toBe(200);
    expect(await status({ 'if-range': modified })).toBe(200);
    expect(await status({ 'if-none-match': `"${grid}"` })).toBe(304);
    expect(await status({ 'if-none-match': etag })).toBe(206);
  });

  test('may be kept by the address that names it, and by no other', async () => {
    const { grid } = await store('film.mp4', 'grid');
    const control = async (query: string) => (await get('film.mp4', query)).headers['cache-control'];
    expect(await control(`&rendition=grid&version=${grid}`)).toBe('private, max-age=43200, immutable');
    expect(await control(`&version=${grid}`)).toBe('private, max-age=43200, immutable');
    expect(await control(`&rendition=grid&version=${await originalVersion('film.mp4')}`)).toBe('private, no-cache');
  });
});

describe('an address', () => {
  test('that names the original gives it to everybody, whatever there is beside it', async () => {
    const address = `&rendition=source&version=${await originalVersion('matroska.mp4')}`;
    const before = await get('matroska.mp4', address);
    const { source } = await store('matroska.mp4', 'source');
    for (const plays of ['', `plays=${writeDeviceClass(toNeedBits(['matroska']))}`]) {
      const reply = await get('matroska.mp4', address, { cookie: plays });
      expect(reply.rawPayload.equals(original)).toBe(true);
      expect(reply.headers.etag).toBe(before.headers.etag);
    }
    const copied = await get('matroska.mp4', `&rendition=source&version=${source}`);
    expect(copied.rawPayload.equals(bytes.source)).toBe(true);
  });

  test('without a version gives a device the source that it plays', async () => {
    await store('matroska.mp4', 'source');
    const sent = async (cookie: string) =>
      (await get('matroska.mp4', '&rendition=source', { cookie })).rawPayload.length;
    expect(await sent('')).toBe(bytes.source.length);
    expect(await sent(`plays=${writeDeviceClass(toNeedBits(['matroska']))}`)).toBe(original.length);
  });

  test('gives the original to a device that plays nothing of it, where there is nothing else', async () => {
    expect((await get('matroska.mp4')).rawPayload.length).toBe(original.length);
  });

  test('of a content that is not there any more answers 404, and never other bytes', async () => {
    const { grid } = await store('film.mp4', 'grid');
    const { hd } = await store('film.mp4', 'hd');
    await storeEncoding(server, 'film.mp4', 'grid', Buffer.from('made anew'));
    forget();
    for (const query of [`&rendition=grid&version=${grid}`, `&version=${grid}`, `&rendition=grid&version=${hd}`]) {
      const reply = await get('film.mp4', query, pro.headers);
      expect([reply.statusCode, reply.json().message]).toEqual([404, 'This video does not exist.']);
    }
    expect(noted.missing).not.toHaveBeenCalled();
  });

  test('of a source that has changed since gives the present one', async () => {
    const reply = await get('film.mp4', '&rendition=source&version=1-2-3');
    expect(reply.rawPayload.equals(original)).toBe(true);
    expect(reply.headers['cache-control']).toBe('private, no-cache');
  });

  test.each(['0'.repeat(40), 'f'.repeat(39), '../../etc/passwd', `${'a'.repeat(38)}%00`, '%F0%9F%8E%AC'])(
    'of the version %s opens nothing else',
    async (version) => {
      const reply = await get('film.mp4', `&version=${version}`);
      if (reply.statusCode === 200) expect(reply.rawPayload.equals(original)).toBe(true);
      else expect([400, 404]).toContain(reply.statusCode);
    },
  );
});

describe('a file that no device plays', () => {
  test('is streamed by its encodings, and as source only where that is the same picture in MP4', async () => {
    await store('odd.mp4', 'grid');
    expect((await get('odd.mp4')).rawPayload.equals(bytes.grid)).toBe(true);
    const refused = await get('odd.mp4', '&rendition=source', pro.headers);
    expect([refused.statusCode, refused.json().message]).toEqual([404, 'This rendition does not exist.']);
    const named = `&rendition=source&version=${await originalVersion('odd.mp4')}`;
    expect((await get('odd.mp4', named, pro.headers)).statusCode).toBe(404);
    await store('odd.mp4', 'source');
    expect((await get('odd.mp4', named, pro.headers)).rawPayload.equals(bytes.source)).toBe(true);
  });
});

describe('HD', () => {
  test('is refused without the feature where a grid exists, unless this server gave the address', async () => {
    await store('film.mp4', 'grid', 'hd');
    for (const query of ['&rendition=hd', '&rendition=source', `&version=${await originalVersion('film.mp4')}`]) {
      for (const headers of [{}, basic.headers]) expect((await get('film.mp4', query, headers)).statusCode).toBe(403);
      expect((await get('film.mp4', query, pro.headers)).statusCode).toBe(200);
    }
    expect((await get('film.mp4', '', basic.headers)).rawPayload.equals(bytes.grid)).toBe(true);
    expect((await get('film.mp4', '', pro.headers)).rawPayload.equals(original)).toBe(true);
  });

  test('is not needed for a source where there is no grid', async () => {
    await store('film.mp4', 'hd');
    expect((await get('film.mp4', '&rendition=source')).statusCode).toBe(200);
    expect((await get('film.mp4', '&rendition=hd')).statusCode).toBe(403);
  });

  test('comes and goes with the plan while somebody watches', async () => {
    await store('film.mp4', 'grid', 'hd');
    const carl = await putPerson(server, `carl-${clock.now()}`);
    const become = (tier: string) =>
      server.call('PUT', `/users/admin/${carl.id}/subscription`, { headers: admin.headers, payload: { tier } });
    const watch = async () => {
      const named = await get('film.mp4', '&rendition=hd', { ...carl.headers, range: 'bytes=0-9' });
      const best = await get('film.mp4', '', { ...carl.headers, range: 'bytes=0-9' });
      return [named.statusCode, best.headers['content-range']];
    };
    expect(await watch()).toEqual([403, `bytes 0-9/${bytes.grid.length}`]);
    expect((await become('pro')).statusCode).toBe(200);
    expect(await watch()).toEqual([206, `bytes 0-9/${original.length}`]);
    expect((await become('basic')).statusCode).toBe(200);
    expect(await watch()).toEqual([403, `bytes 0-9/${bytes.grid.length}`]);
  });

  test('is not opened by the signature of the grid', async () => {
    const { grid, hd } = await store('film.mp4', 'grid', 'hd');
    const viewer = 'v'.repeat(32);
    const cookie = `viewer=${viewer}`;
    const { id } = await database.reader
      .selectFrom('videos')
      .select('id')
      .where('path', '=', 'film.mp4')
      .executeTakeFirstOrThrow();
    const signed = (rendition: Rendition, right: 'everybody' | 'hd' = 'everybody') => {
      const { expires, signature } = server.services.mediaUrls.sign({ viewer, videoId: id, rendition, right });
      return `&expires=${expires}&signature=${signature}`;
    };
    const status = async (query: string, headers = {}) =>
      (await get('film.mp4', query, { cookie, ...headers })).statusCode;
    expect(await status(`&rendition=grid&version=${grid}${signed('grid')}`)).toBe(200);
    expect(await status(`&rendition=hd&version=${hd}${signed('hd')}`)).toBe(200);
    expect(await status(`&rendition=hd&version=${hd}${signed('grid')}`)).toBe(403);
    expect(await status(`&rendition=source${signed('grid')}`)).toBe(403);
    expect(await status(`&version=${hd}${signed('hd')}`)).toBe(403);
    expect(await status(`&rendition=grid&version=${hd}${signed('grid')}`)).toBe(404);
    const dora = await putPerson(server, `dora-${clock.now()}`);
    // The right of a plan ends with the plan; what everybody had when it was signed stays.
    expect(await status(`&rendition=hd&version=${hd}${signed('hd', 'hd')}`)).toBe(200);
    expect(await status(`&rendition=hd&version=${hd}${signed('hd', 'hd')}`, dora.headers)).toBe(403);
    expect(await status(`&rendition=hd&version=${hd}${signed('hd')}`, dora.headers)).toBe(200);
  });
});

describe('what lies in the place of a derived file', () => {
  const replacements: [string, (file: string) => void][] = [
    ['nothing', (file) => rmSync(file)],
    ['more bytes', (file) => writeFileSync(file, 'more', { flag: 'a' })],
    ['fewer bytes', (file) => writeFileSync(file, 'fewer')],
    [
      'a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      'a link out of the folder',
      (file) => {
        const outside = join(temporaryFolder(), 'other');
        copyFileSync(file, outside);
        rmSync(file);
        symlinkSync(outside, file);
      },
    ],
  ];

  test.each(replacements)('is never sent when it is %s, and its row is gone', async (_, replace) => {
    const { grid } = await store('film.mp4', 'grid');
    replace(derivedPath(server, grid, '.mp4'));
    const reply = await get('film.mp4', '&rendition=grid');
    rmSync(derivedPath(server, grid, '.mp4'), { recursive: true, force: true });
    expect([reply.statusCode, reply.json().message]).toEqual([404, 'This video does not exist.']);
    expect(noted.missing.mock.calls).toEqual([[grid]]);
    expect(await database.reader.selectFrom('encodings').selectAll().execute()).toEqual([]);
    expect((await get('film.mp4')).rawPayload.equals(original)).toBe(true);
  });

  test('is looked for anew before it counts as gone', async () => {
    const { grid } = await store('film.mp4', 'grid');
    expect((await get('film.mp4', '&rendition=grid')).statusCode).toBe(200);
    clock.pass(1_100);
    // Another node has made it anew.
    await storeEncoding(server, 'film.mp4', 'grid', Buffer.from('made anew'));
    rmSync(derivedPath(server, grid, '.mp4'));
    expect((await get('film.mp4', '&rendition=grid')).body).toBe('made anew');
    expect(noted.missing).not.toHaveBeenCalled();
  });

  test('answers 404 also when the database takes no word of it', async () => {
    const { grid } = await store('film.mp4', 'grid');
    rmSync(derivedPath(server, grid, '.mp4'));
    noted.missing.mockRejectedValueOnce(new Error('The database is away.'));
    expect((await get('film.mp4', '&rendition=grid')).statusCode).toBe(404);
    expect(server.logged()).toContain('an encoding that is gone could not be taken off the list');
  });
});

test('an encoding of another version of the file counts for nothing', async () => {
  await store('film.mp4', 'grid');
  await database.write((transaction) => transaction.updateTable('encodings').set({ size: 1 }).execute());
  forget();
  expect((await get('film.mp4', '&rendition=grid')).statusCode).toBe(404);
  expect((await get('film.mp4')).rawPayload.equals(original)).toBe(true);
});

test('the encodings of a hidden video are sent to nobody', async () => {
  const { grid } = await store('odd.mp4', 'grid');
  const { id } = await database.reader
    .selectFrom('videos')
    .select('id')
    .where('path', '=', 'odd.mp4')
    .executeTakeFirstOrThrow();
  await server.call('PUT', `/api/admin/videos/${id}/hidden`, { headers: admin.headers });
  forget();
  for (const headers of [{}, pro.headers, admin.headers])
    expect((await get('odd.mp4', `&rendition=grid&version=${grid}`, headers)).statusCode).toBe(404);
});
