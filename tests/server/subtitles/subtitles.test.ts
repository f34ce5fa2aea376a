import { rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { subtitleListSchema } from '#contract/entities/video.ts';
import { Subtitles } from '#server/features/subtitles/subtitles.ts';
import { SubtitleConverter } from '#server/media/subtitle-converter.ts';
import { patient } from '#tests/support/media/poster-server.ts';
import { storeNotes, storeSubtitles } from '#tests/support/media/stored-subtitles.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { putAccount, putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { storeUpload } from '#tests/support/stored-uploads.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const names = [
  'plain',
  'beside',
  'inside',
  'named',
  'both',
  'noted',
  'voices',
  'cyrillic',
  'hidden',
  'blocked',
  'gone',
  'unread',
  'changed',
  'large',
  'fading',
  'lost',
  'older',
  'vanished',
  'unwritten',
] as const;
const srt = (text: string) => `1\n00:00:00,000 --> 00:01:00,000\n${text}\n`;

let folder: string;
let server: ServerUnderTest;
let loudTag: string;
const ids = new Map<string, string>();

beforeAll(async () => {
  folder = temporaryFolder(afterFile);
  putVideos(folder, ...names.map((name) => `${name}.mp4`));
  putFile(folder, 'beside.srt', srt('Hello'));
  putFile(folder, 'beside.de.vtt', `WEBVTT\n\n00:00.000 --> 01:00.000\nHallo <script>x</script>\n`);
  putFile(folder, 'beside.fre.forced.SRT', Buffer.from(srt('Ça va'), 'latin1'));
  putFile(folder, 'beside.director.srt', srt('of another video'));
  putFile(folder, 'both.en.srt', srt('beside'));
  const greeting = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]).toString('latin1');
  putFile(folder, 'cyrillic.ru.srt', Buffer.from(srt(greeting), 'latin1'));
  putFile(folder, 'large.srt', srt('Much text').repeat(1_000));
  putFile(folder, 'fading.srt', srt('one text'));
  putFile(folder, 'lost.srt', srt('found again'));
  putFile(folder, 'hidden.srt', srt('secret'));
  server = await startServer({ library: [folder] }, afterFile);
  const rows = await server.services.database.reader.selectFrom('videos').select(['id', 'path']).execute();
  for (const { id, path } of rows) ids.set(path.replace('.mp4', ''), id);
  loudTag = await server.services.idSets.write((transaction, changes) =>
    storeTag(transaction, changes, 'Loud', [idOf('blocked')]),
  );
});

const addressOf = (name: string) => `/api/videos/${ids.get(name)}/subtitles`;
const idOf = (name: string) => ids.get(name) ?? '';

/** Once nothing of it is being converted any more. */
function list(name: string, headers: Record<string, string> = {}) {
  return vi.waitFor(async () => {
    const found = await listNow(name, headers);
    expect(found.processing).toBeNull();
    return found;
  }, patient);
}

async function listNow(name: string, headers: Record<string, string> = {}) {
  const reply = await server.get(addressOf(name), headers);
  expect(reply.statusCode).toBe(200);
  return subtitleListSchema.parse(reply.json());
}

/** Of the first. */
function versionOf([track]: readonly { url: string }[]): string {
  return new URL(track?.url ?? '', 'http://site').searchParams.get('version') ?? '';
}

async function textsOf(name: string): Promise<string[]> {
  const { tracks } = await list(name);
  return Promise.all(tracks.map(async ({ url }) => (await server.get(url)).body));
}

const nobody = { userId: null, isAdmin: false, rank: 0 };

/** Subtitles whose inspections are noted, and queued in word only. */
function subtitlesAsking(asked: number[]): Subtitles {
  return new Subtitles({
    ...server.services,
    room: server.services.encodings,
    converter: new SubtitleConverter(),
    inspectVideo: async (number) => {
      asked.push(number);
      return { state: 'queued', progress: 0 };
    },
  });
}

describe('the subtitles of a video', () => {
  test('are none where nothing is inside or beside it', async () => {
    expect(await list('plain')).toEqual({ tracks: [], audio_tracks: [], unsupported: [], processing: null });
  });

  test('lie beside it, in any language', async () => {
    const { tracks } = await list('beside');
    expect(tracks.map(({ track, language, label }) => [track, language, label])).toEqual([
      [0, 'fr', 'French (forced)'],
      [1, 'de', 'German'],
      [2, null, 'Subtitles'],
    ]);
    expect(await textsOf('beside')).toEqual(
      ['Ça va', 'Hallo x', 'Hello'].map((text) => `WEBVTT\n\n00:00:00.000 --> 00:01:00.000\n${text}\n`),
    );
    expect(JSON.stringify(tracks)).not.toContain('.srt');
  });

  test('beside it are read in the code page of their language', async () => {
    await list('cyrillic');
    expect(await textsOf('cyrillic')).toEqual(['WEBVTT\n\n00:00:00.000 --> 00:01:00.000\nПривет\n']);
  });

  test('beside it are converted by a job, stored as they are served, and counted in the room', async () => {
    expect(await listNow('large')).toMatchObject({ tracks: [], processing: { state: 'queued' } });
    const { tracks } = await list('large');
    const { reader } = server.services.database;
    const [row] = await reader
      .selectFrom('subtitles_beside')
      .selectAll()
      .where('version', '=', versionOf(tracks))
      .execute();
    const { body } = await server.get(tracks[0]?.url ?? '');
    expect(await server.services.derivedFiles.read(row?.content ?? '', '.vtt')).toEqual(Buffer.from(body));
    expect(await server.services.encodings.usedBytes()).toBeGreaterThanOrEqual(body.length);
    const jobs = await reader
      .selectFrom('jobs')
      .select('attempts')
      .where('kind', '=', 'subtitles')
      .where('video_number', '=', row?.video_number ?? 0)
      .execute();
    expect(jobs).toEqual([{ attempts: 1 }]);
  });

  test('beside it go from the disk with their file', async () => {
    const version = versionOf((await list('fading')).tracks);
    const row = () =>
      server.services.database.reader
        .selectFrom('subtitles_beside')
        .select('content')
        .where('version', '=', version)
        .executeTakeFirst();
    const content = (await row())?.content ?? '';
    putFile(folder, 'fading.srt', srt('another text of another length'));
    await vi.waitFor(async () => expect((await textsOf('fading'))[0]).toContain('another text'), patient);
    expect([await row(), await server.services.derivedFiles.read(content, '.vtt')]).toEqual([undefined, null]);
  });

  test('beside it whose text is gone from the disk are converted again', async () => {
    const version = versionOf((await list('lost')).tracks);
    const { database, derivedFiles } = server.services;
    const { content } = await database.reader
      .selectFrom('subtitles_beside')
      .select('content')
      .where('version', '=', version)
      .executeTakeFirstOrThrow();
    await derivedFiles.remove(content, '.vtt');
    expect((await server.get(`${addressOf('lost')}/0`)).statusCode).toBe(404);
    expect(await textsOf('lost')).toEqual([expect.stringContaining('found again')]);
  });

  test('that an earlier version has stored as ffmpeg wrote them are converted before they are shown', async () => {
    const raw = [{ language: 'en', label: 'English', text: '<v Somebody>Hi' }];
    await storeSubtitles(server.services, idOf('older'), raw, { isConverted: false });
    await storeNotes(server.services, idOf('older'), []);
    expect(await listNow('older')).toMatchObject({ tracks: [], processing: { state: 'queued' } });
    expect(await textsOf('older')).toEqual(['WEBVTT\n\n00:00:00.000 --> 00:01:00.000\nHi\n']);
  });

  test('inside it come before those beside it, and equal labels are counted', async () => {
    await storeSubtitles(server.services, idOf('both'), [
      { language: 'en', label: 'English', text: 'one' },
      { language: 'en', label: 'English', text: 'two' },
    ]);
    const { tracks } = await list('both');
    expect(tracks.map(({ track, label }) => [track, label])).toEqual([
      [0, 'English'],
      [1, 'English 2'],
      [2, 'English 3'],
    ]);
    expect((await textsOf('both')).map((vtt) => vtt.split('\n')[3])).toEqual(['one', 'two', 'beside']);
  });

  test('inside it are called by the languages that a file names in its own way, or by their titles', async () => {
    await storeSubtitles(server.services, idOf('named'), [
      { language: 'ger', label: 'ger', text: 'one' },
      { language: 'eng', label: 'eng (forced)', text: 'two' },
      { language: 'nonsense', label: 'nonsense', text: 'three' },
      { language: 'fre', label: `Commentary ${'x'.repeat(1_000)}`, text: 'four' },
      { language: null, label: 'Track 5', text: 'five' },
    ]);
    const { tracks } = await list('named');
    expect(tracks.map(({ language, label }) => [language, label.slice(0, 20), label.length <= 80])).toEqual([
      ['de', 'German', true],
      ['en', 'English (forced)', true],
      [null, 'Subtitles', true],
      ['fr', 'Commentary xxxxxxxxx', true],
      [null, 'Track 5', true],
    ]);
  });

  test('that are pictures are named, and so is further sound', async () => {
    await storeNotes(server.services, idOf('noted'), [
      { kind: 'hdr-converted-plainly' },
      { kind: 'picture-subtitles', language: 'eng' },
      { kind: 'audio', language: null },
      'nonsense',
    ] as object[]);
    expect(await list('noted')).toEqual({
      tracks: [],
      audio_tracks: [],
      unsupported: [
        { kind: 'picture-subtitles', language: 'en' },
        { kind: 'audio', language: null },
      ],
      processing: null,
    });
  });

  test('are listed with the audio tracks, whose equal names are numbered', async () => {
    const sound = { kind: 'audio-track', language: null, label: 'Audio', isDefault: false };
    await storeNotes(server.services, idOf('voices'), [
      { ...sound, track: 0, isDefault: true },
      { ...sound, track: 1 },
      { ...sound, track: 2, language: 'de', label: 'German' },
      { ...sound, track: 3 },
    ]);
    const { audio_tracks: tracks } = await list('voices');
    expect(tracks.map(({ track, label }) => [track, label])).toEqual([
      [0, 'Audio'],
      [1, 'Audio 2'],
      [2, 'German'],
      [3, 'Audio 3'],
    ]);
  });

  test('are being looked for as long as nobody has looked inside the video', async () => {
    const { services } = server;
    const asked: number[] = [];
    const subtitles = subtitlesAsking(asked);
    for (let times = 0; times < 2; times += 1)
      expect((await subtitles.list(idOf('unread'), nobody)).processing).toEqual({ state: 'queued', progress: 0 });
    expect(asked).toHaveLength(1);
    await storeNotes(services, idOf('unread'), []);
    expect((await subtitles.list(idOf('unread'), nobody)).processing).toBeNull();
  });

  test('inside it whose text is gone from the disk are looked for again, and once only for one answer', async () => {
    const { services } = server;
    const asked: number[] = [];
    const subtitles = subtitlesAsking(asked);
    await storeSubtitles(services, idOf('vanished'), [{ language: 'en', label: 'English', text: 'gone' }]);
    await storeNotes(services, idOf('vanished'), []);
    for (let times = 0; times < 2; times += 1) {
      const { content } = await services.database.reader
        .selectFrom('subtitles')
        .innerJoin('videos', 'videos.number', 'subtitles.video_number')
        .select('content')
        .where('videos.id', '=', idOf('vanished'))
        .executeTakeFirstOrThrow();
      await services.derivedFiles.remove(content, '.vtt');
      expect(await subtitles.read(idOf('vanished'), '0', undefined, nobody)).toBeNull();
      expect(await subtitles.list(idOf('vanished'), nobody)).toEqual({
        tracks: [],
        audio_tracks: [],
        unsupported: [],
        processing: { state: 'queued', progress: 0 },
      });
      await storeSubtitles(services, idOf('vanished'), [{ language: 'en', label: 'English', text: 'back' }]);
      await storeNotes(services, idOf('vanished'), []);
    }
    expect(asked).toHaveLength(1);
  });

  test('that an earlier version has stored and that are gone from the disk are looked for again', async () => {
    const { services } = server;
    const raw = [{ language: 'en', label: 'English', text: 'gone' }];
    await storeSubtitles(services, idOf('unwritten'), raw, { isConverted: false });
    await storeNotes(services, idOf('unwritten'), []);
    const { content, number } = await services.database.reader
      .selectFrom('subtitles')
      .innerJoin('videos', 'videos.number', 'subtitles.video_number')
      .select(['content', 'number'])
      .where('videos.id', '=', idOf('unwritten'))
      .executeTakeFirstOrThrow();
    await services.derivedFiles.remove(content, '.vtt');
    const inspected = vi.spyOn(services.encodings, 'inspect');
    onTestFinished(() => inspected.mockRestore());
    expect(await list('unwritten')).toEqual({ tracks: [], audio_tracks: [], unsupported: [], processing: null });
    expect(inspected).toHaveBeenCalledWith(number);
  });

  test('of an earlier file count for nothing', async () => {
    await storeSubtitles(server.services, idOf('changed'), [{ language: 'en', label: 'Old', text: 'old' }]);
    await server.services.database.write((transaction) =>
      transaction.updateTable('subtitles').set({ size: 1 }).where('label', '=', 'Old').execute(),
    );
    expect((await list('changed')).tracks).toEqual([]);
  });

  test('are never taken from beside an upload', async () => {
    const { file } = await storeUpload(server, await putAccount(server, 'uploader'));
    writeFileSync(file.replace('.mp4', '.srt'), srt('of somebody else'));
    const upload = await server.services.database.reader
      .selectFrom('videos')
      .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
      .select('videos.id')
      .where('library_roots.kind', '=', 'uploads')
      .executeTakeFirstOrThrow();
    const reply = await server.get(`/api/videos/${upload.id}/subtitles`);
    expect(subtitleListSchema.parse(reply.json())).toMatchObject({ tracks: [], processing: null });
  });
});

describe('one track', () => {
  test('is WebVTT that browsers keep for ever, under the address of the list', async () => {
    await storeSubtitles(server.services, idOf('inside'), [{ language: 'en', label: 'English', text: '<i>Hi' }]);
    const [track] = (await list('inside')).tracks;
    const reply = await server.get(track?.url ?? '');
    expect([reply.statusCode, reply.body]).toEqual([200, 'WEBVTT\n\n00:00:00.000 --> 00:01:00.000\n<i>Hi</i>\n']);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/vtt; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const etag = String(reply.headers.etag);
    expect((await server.get(track?.url ?? '', { 'if-none-match': etag })).statusCode).toBe(304);
    expect((await server.get(`${addressOf('inside')}/0`)).headers['cache-control']).toBe('private, no-cache');
  });

  test.each(['1', '-1', '00', '0.0', 'x', '99999999999999999999', '..%2f0'])(
    'does not exist by the name %s',
    async (track) => {
      await storeSubtitles(server.services, idOf('inside'), [{ language: 'en', label: 'English', text: 'Hi' }]);
      expect((await server.get(`${addressOf('inside')}/${track}`)).statusCode).toBe(404);
    },
  );

  test('is not answered for the address of another text', async () => {
    await storeSubtitles(server.services, idOf('inside'), [{ language: 'en', label: 'English', text: 'one' }]);
    const [track] = (await list('inside')).tracks;
    await storeSubtitles(server.services, idOf('inside'), [{ language: 'de', label: 'German', text: 'zwei' }]);
    expect((await server.get(track?.url ?? '')).statusCode).toBe(404);
  });

  test('whose file is gone is 404', async () => {
    await storeSubtitles(server.services, idOf('gone'), [{ language: 'en', label: 'English', text: 'lost' }]);
    rmSync(server.services.folders.derived, { recursive: true });
    expect((await server.get(`${addressOf('gone')}/0`)).json()).toMatchObject({ error: 'not_found' });
  });
});

describe('who is not shown a video', () => {
  test('is shown no subtitles of it: hidden ones are for administrators', async () => {
    const admin = await putPerson(server, 'ada', 'admin');
    const pro = await putPerson(server, 'grace', 'pro');
    await server.call('PUT', `/api/admin/videos/${ids.get('hidden')}/hidden`, { headers: admin.headers });
    for (const headers of [{}, pro.headers]) {
      expect((await server.get(addressOf('hidden'), headers)).statusCode).toBe(404);
      expect((await server.get(`${addressOf('hidden')}/0`, headers)).statusCode).toBe(404);
    }
    const [track] = (await list('hidden', admin.headers)).tracks;
    expect((await server.get(track?.url ?? '', admin.headers)).body).toContain('secret');
  });

  test('is shown none either where they block its channel', async () => {
    const person = await putPerson(server, 'lin');
    await server.call('PUT', '/users/blocklist', {
      headers: person.headers,
      payload: { blocked_tag_ids: [loudTag] },
    });
    expect((await server.get(addressOf('blocked'), person.headers)).statusCode).toBe(404);
    expect((await server.get(addressOf('blocked'))).statusCode).toBe(200);
  });

  test('and what is no video has none', async () => {
    expect((await server.get('/api/videos/none/subtitles')).json()).toMatchObject({ error: 'not_found' });
  });
});
