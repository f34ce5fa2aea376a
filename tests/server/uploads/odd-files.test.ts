import { randomBytes } from 'node:crypto';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { UploadCompleted } from '#contract/entities/upload.ts';
import { uploadCompletedSchema } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { cleanName } from '#contract/rules/text.ts';
import { oddNames } from '#tests/support/media/odd-names.ts';
import { box, ftyp } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { initiate, putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';
import {
  mdat,
  moov,
  movie,
  mvhd,
  pictureEntry,
  runs,
  soundEntry,
  trak,
} from '#tests/unit/server/media/containers/iso-movie.ts';

let server: ServerUnderTest;
let ada: Person;

beforeAll(async () => {
  server = await startServer({}, afterFile);
  ada = await putUploader(server, 'ada', 'admin');
});

async function send(bytes: Buffer, filename = 'a film.mp4'): Promise<UploadCompleted> {
  const upload = await SentUpload.start(server, ada, [{ filename, file_size: bytes.length }]);
  expect((await upload.put(bytes)).statusCode).toBe(201);
  const reply = await upload.complete(ada);
  expect(reply.statusCode).toBe(200);
  return uploadCompletedSchema.parse(reply.json());
}

const listRows = () => server.services.database.reader.selectFrom('videos').selectAll().orderBy('number').execute();

describe('what no player could show', () => {
  const picture = (width: number, height: number) =>
    movie(mvhd(), trak({ entry: pictureEntry('avc1', width, height) }));
  const tracks = Array.from({ length: 1_000 }, (_, index) => trak({ id: index + 1 }));

  test.each<[what: string, bytes: Buffer, reason: string]>([
    ['one byte', Buffer.from('x'), 'not_a_video'],
    ['noise', randomBytes(50_000), 'not_a_video'],
    ['a document', Buffer.from('%PDF-1.7\n1 0 obj\n'), 'not_a_video'],
    ['one picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]), 'not_a_video'],
    ['no index', Buffer.concat([ftyp, mdat]), 'no_index'],
    ['the half of a film', videoBytes().subarray(0, 1_500), 'truncated'],
    ['no track', movie(mvhd()), 'no_index'],
    ['sound alone', movie(mvhd(), trak({ kind: 'soun', entry: soundEntry() })), 'no_picture'],
    ['a picture of 0 × 0', picture(0, 0), 'picture_size'],
    ['a picture of 16k × 16k', picture(16_384, 16_384), 'picture_size'],
    ['1,000 tracks', movie(mvhd(), ...tracks), 'too_complex'],
    ['a negative duration', movie(mvhd({ duration: -4_000n }), trak()), 'damaged'],
    ['a duration of ten years', movie(mvhd({ duration: 315_360_000_000n }), trak()), 'damaged'],
    [
      '0.001 pictures a second',
      movie(mvhd({ duration: 3_000_000 }), trak({ stts: runs([3, 1_000_000]) })),
      'too_few_pictures',
    ],
    [
      'a box that is smaller than its head',
      Buffer.concat([ftyp, box('free', '', 4), movie(mvhd(), trak())]),
      'no_index',
    ],
  ])('%s is refused, or stored with its reason, and the feed never has it', async (_, bytes, reason) => {
    const before = await listRows();
    const { success, videos } = await send(bytes);
    expect(videos).toEqual([]);
    const added = (await listRows()).slice(before.length);
    expect(added.map((row) => [row.reason, row.available])).toEqual(success ? [[reason, 0]] : []);
    expect(success).toBe(reason !== 'not_a_video');
    expect((await server.get('/api/video/top-left')).json().available).not.toBe(true);
  });
});

test('an index at the end is as good as one at the beginning', async () => {
  const { videos } = await send(Buffer.concat([ftyp, mdat, moov(mvhd(), trak())]));
  expect(videos).toMatchObject([{ available: true, duration: 4 }]);
});

test.each([2 ** 32 + 1, limits.uploadBytes - 1, limits.uploadBytes])(
  'a file of %d bytes is taken to its last one',
  async (size) => {
    const film = videoBytes();
    const head = Buffer.alloc(16);
    head.writeUInt32BE(1);
    head.write('free', 4);
    head.writeBigUInt64BE(BigInt(size - film.length), 8);
    const upload = await SentUpload.start(server, ada, [{ file_size: size }]);
    expect((await upload.patch(0, Buffer.concat([film, head]))).statusCode).toBe(204);
    // As if all but the last bytes had come; they take no room.
    truncateSync(join(server.services.folders.uploads, 'parts', upload.session.files[0]?.id ?? ''), size - 10);
    expect(await upload.offset()).toBe(size - 10);
    expect((await upload.patch(size - 10, Buffer.alloc(11))).statusCode).toBe(413);
    expect((await upload.patch(size - 10, Buffer.alloc(10))).headers['upload-offset']).toBe(String(size));
    const { videos } = uploadCompletedSchema.parse((await upload.complete(ada)).json());
    expect(videos).toMatchObject([{ size, available: true }]);
    const last = await server.get(videos[0]?.url ?? '', { range: `bytes=${size - 1}-` });
    expect([last.statusCode, last.headers['content-range']]).toEqual([206, `bytes ${size - 1}-${size - 1}/${size}`]);
  },
);

describe('a name', () => {
  const names = [...oddNames, '../../etc/passwd.mp4', 'line\r\nSet-Cookie: a=b.mp4'];

  test('of any kind is a label: the video is listed by it, streamed and tagged, and no file is called so', async () => {
    const film = videoBytes();
    const sizes = names.map((_, index) => film.length + 8 + index);
    const upload = await SentUpload.start(
      server,
      ada,
      names.map((filename, index) => ({ filename, file_size: sizes[index] })),
    );
    const contents = names.map((_, index) => Buffer.concat([film, box('free', 'x'.repeat(index))]));
    for (const [index, content] of contents.entries()) expect((await upload.put(content, index)).statusCode).toBe(201);
    const { videos } = uploadCompletedSchema.parse((await upload.complete(ada)).json());
    // Characters that nobody sees go, or they would turn the words around them.
    expect(videos.map(({ filename }) => filename)).toEqual(names.map(cleanName));

    const channel = await server.call('POST', '/api/tags', { headers: ada.headers, payload: { name: 'all of them' } });
    for (const [index, { path, url }] of videos.entries()) {
      const streamed = await server.get(url);
      expect([streamed.statusCode, streamed.rawPayload.equals(contents[index] ?? film)]).toEqual([200, true]);
      const tagged = await server.call('POST', `/api/videos/${encodeURIComponent(path)}/tags`, {
        headers: ada.headers,
        payload: { tag_ids: [channel.json().tag.id] },
      });
      expect(tagged.statusCode).toBe(200);
    }
    const files = readdirSync(server.services.folders.uploads, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => !/^[\w/-]+(\.mp4)?$/.test(name))).toEqual([]);
    for (const line of server.logged().trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('a session', () => {
  test.each([
    [{ file_size: '5' }],
    [{ file_size: null }],
    [{ filename: 'list.m3u8' }],
    [{ filename: 'all.zip' }],
    [{ filename: 'film' }],
    [{ filename: 7 }],
  ])('with %j is not opened', async (file) => {
    const reply = await initiate(server, ada, [file as object]);
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'validation_failed']);
  });

  test('with 10,001 files, or none, is not opened', async () => {
    for (const count of [0, 201, 10_001]) {
      const reply = await initiate(
        server,
        ada,
        Array.from({ length: count }, () => ({})),
      );
      expect([400, 413]).toContain(reply.statusCode);
    }
    const open = await server.get('/api/upload/history?status=pending', ada.headers);
    expect(open.json().total).toBe(0);
  });

  test('has a key that opens nothing else', async () => {
    const upload = await SentUpload.start(server, ada);
    const other = await SentUpload.start(server, ada);
    const replies = [
      await server.get(`/api/upload/progress/${upload.id}`, upload.key),
      await server.get('/api/upload/history', upload.key),
      await server.call('POST', '/api/upload/initiate', { headers: upload.key, payload: { files: [] } }),
      await server.call('POST', '/api/tags', { headers: upload.key, payload: { name: 'by key' } }),
      await server.call('PUT', other.addressOf(), { headers: upload.key, payload: Buffer.alloc(1_000) }),
      await server.call('DELETE', `/api/upload/cancel/${other.id}`, { headers: upload.key }),
    ];
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401, 404, 404]);
  });
});
