import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { pickReplySchema, videoUrlSchema } from '#contract/entities/feed.ts';
import { subtitleListSchema } from '#contract/entities/video.ts';
import { CopyingEncoder } from '#tests/support/media/copying-encoder.ts';
import { derivedFiles, startEncoding, videoNamed } from '#tests/support/media/encoding-server.ts';
import { patient } from '#tests/support/media/poster-server.ts';
import { storeNotes } from '#tests/support/media/stored-subtitles.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const library = temporaryFolder(afterFile);
const films = Array.from({ length: 21 }, (_, at) => `more-${at}.mp4`);
putVideos(library, 'film.mp4', ...films);
const server = await startEncoding(library, {}, afterFile);
const { encoder, services } = server;

const tracks = [
  { kind: 'audio-track', track: 0, language: 'en', label: 'English', isDefault: true },
  { kind: 'audio-track', track: 1, language: 'de', label: 'Deutsch, Regie', isDefault: false },
];

const post = (body: object) =>
  server.call('POST', '/api/optimization/video-url', { payload: { path: 'film.mp4', quadrant: 'top-left', ...body } });

const ask = async (body: object) => videoUrlSchema.parse((await post(body)).json());

async function pick(query: string) {
  return pickReplySchema.parse((await server.get(`/api/video/top-left${query}`)).json());
}

test('while the encoders of the machine are looked for, tracks are being looked for, not missing', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const late = new CopyingEncoder(join(temporaryFolder(), 'work'));
  const facts = late.facts;
  late.facts = () => held.then(facts);
  const tools = { encoder: late, diskSpace: { read: async () => ({ free: 1e12, total: 2e12 }) } };
  const { services: starting } = await startServer({ library: [library], overrides: { encodings: { tools } } });
  const { number } = await starting.database.reader.selectFrom('videos').select('number').executeTakeFirstOrThrow();
  const opening = starting.encodings.open();
  expect(await starting.encodings.inspect(number)).toEqual({ state: 'queued', progress: 0 });
  resolve();
  await opening;
  await vi.waitFor(async () => {
    const jobs = await starting.database.reader
      .selectFrom('jobs')
      .select('video_number')
      .where('kind', '=', 'inspect')
      .execute();
    expect(jobs).toEqual([{ video_number: number }]);
  }, patient);
});

const exclude = async () =>
  (await Promise.all(films.map((name) => videoNamed(server, name)))).map(({ id }) => id).join(',');

test('a chosen audio track is encoded while the video plays, and its file is kept apart from the others', async () => {
  const { id } = await videoNamed(server, 'film.mp4');
  await storeNotes(services, id, [...tracks, { kind: 'audio', language: 'fr' }]);
  const list = subtitleListSchema.parse((await server.get(`/api/videos/${id}/subtitles`)).json());
  expect(list.audio_tracks).toEqual([
    { track: 0, language: 'en', label: 'English', is_default: true },
    { track: 1, language: 'de', label: 'Deutsch, Regie', is_default: false },
  ]);
  expect(list.unsupported).toEqual([{ kind: 'audio', language: 'fr' }]);

  const first = await ask({ audio_track: 1 });
  expect(first).toMatchObject({ rendition: 'source', processing: { state: 'queued' } });
  expect(first.audio_track).toBeUndefined();
  await vi.waitFor(async () => expect(await ask({ audio_track: 1 })).toMatchObject({ audio_track: 1 }), patient);
  const chosen = await ask({ audio_track: 1 });
  expect(chosen.processing).toBeNull();
  const bytes = await server.get(chosen.url);
  expect(bytes.statusCode).toBe(200);
  expect(bytes.body.endsWith('1')).toBe(true);
  // Whoever chooses nothing gets the file as before.
  expect((await ask({})).url.split('?')[0]).toBe(first.url.split('?')[0]);
  expect((await ask({})).audio_track).toBeUndefined();
  expect(new URL(chosen.url, 'http://localhost').searchParams.get('version')).toMatch(/^[0-9a-f]{40}$/);
});

test('whoever chose a language before is given the track in it, and others are not', async () => {
  const others = await exclude();
  expect(await pick(`?exclude=${others}&audio_language=de`)).toMatchObject({ audio_track: 1 });
  for (const query of ['', '&audio_language=fr', '&audio_language=en'])
    expect(await pick(`?exclude=${others}${query}`)).not.toHaveProperty('audio_track');
});

test('a track that the file does not have, and the default one, are never encoded', async () => {
  const before = encoder.orders.length;
  for (const audio_track of [0, 2]) expect(await ask({ audio_track })).toMatchObject({ processing: null });
  const jobs = await services.database.reader
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', 'encode-audio')
    .execute();
  expect([jobs.length, encoder.orders.length]).toEqual([1, before]);
  expect((await post({ audio_track: -1 })).statusCode).toBe(400);
});

test('a viewer without HD is given the same picture with the other track', async () => {
  const { number } = await videoNamed(server, 'film.mp4');
  const rows = await services.database.reader
    .selectFrom('audio_encodings')
    .select(['rendition', 'track', 'language'])
    .where('video_number', '=', number)
    .execute();
  expect(rows).toContainEqual({ rendition: 'grid', track: 1, language: 'de' });
});

test('at most twenty tracks wait at once, and clearing the cache removes what was made', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  encoder.before = () => held;
  for (const name of films) {
    await storeNotes(services, (await videoNamed(server, name)).id, tracks);
    expect(await ask({ audio_track: 1, path: name })).toMatchObject({ processing: { state: 'queued' } });
  }
  const active = await services.database.reader
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', 'encode-audio')
    .where('active_key', 'is not', null)
    .execute();
  expect(active.length).toBe(20);
  resolve();
  await vi.waitFor(async () => {
    const rows = await services.database.reader
      .selectFrom('audio_encodings')
      .select('video_number')
      .distinct()
      .execute();
    expect(rows.length).toBe(21);
  }, patient);
  // What was made or played in the last minutes stays.
  server.clock.pass(3_600_000);
  await services.encodings.clear();
  expect(derivedFiles(server).filter((name) => name.endsWith('.mp4'))).toEqual([]);
  expect(await ask({ audio_track: 1, path: films[0] })).toMatchObject({ processing: { state: 'queued' } });
});

test('a track that takes too long goes on in the lane where nobody waits behind it', async () => {
  const folder = temporaryFolder();
  putVideos(folder, 'endless.mp4');
  const slow = await startEncoding(folder, {}, undefined, { betweenMs: 20 });
  slow.encoder.before = ({ precedence, signal }) =>
    precedence === 'first'
      ? new Promise((_, reject) => {
          signal.throwIfAborted();
          signal.addEventListener('abort', () => reject(signal.reason));
        })
      : undefined;
  const { id, number } = await videoNamed(slow, 'endless.mp4');
  await storeNotes(slow.services, id, tracks);
  await slow.services.encodings.wantAudio(number, 1);
  await vi.waitFor(async () => {
    const jobs = await slow.services.database.reader
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', 'encode-audio')
      .execute();
    expect(jobs).toMatchObject([{ state: 'done', lane: 'encode', attempts: 1 }]);
  }, patient);
});
