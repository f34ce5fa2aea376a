import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FirstPicks } from '#contract/entities/feed.ts';
import { pickReplySchema } from '#contract/entities/feed.ts';
import type { Processing } from '#contract/entities/video.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { mediaNeeds, toNeedBits, usualClass, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { storeEncoding } from '#tests/support/media/stored-encodings.ts';
import { putFile } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const app = temporaryFolder(afterFile);
putFile(app, 'index.html', `<script type="application/json" id="${firstVideosId}"></script>`);

async function startWith(...files: string[]): Promise<ServerUnderTest> {
  const folder = temporaryFolder(afterFile);
  for (const [place, file] of files.entries()) copyFileSync(corpusFile(file), join(folder, `${place}-${file}`));
  return startServer({ library: [folder], overrides: { folders: { app } } }, afterFile);
}

/** As a browser has told it that plays these too. */
const playing = (...needs: MediaNeed[]) => ({
  cookie: `plays=${writeDeviceClass(usualClass | toNeedBits(needs))}`,
});

async function pick(server: ServerUnderTest, headers: Record<string, string> = playing()) {
  return pickReplySchema.parse((await server.get('/api/video/top-left', headers)).json());
}

async function pickedPaths(server: ServerUnderTest, headers: Record<string, string>): Promise<string[]> {
  const paths = new Set<string>();
  for (let time = 0; time < 25; time += 1) paths.add((await pick(server, headers)).path ?? 'none');
  return [...paths].sort();
}

async function numbersOf({ services }: ServerUnderTest): Promise<Record<string, number>> {
  const rows = await services.database.reader.selectFrom('videos').select(['path', 'number']).execute();
  return Object.fromEntries(rows.map(({ path, number }) => [path, number]));
}

/** What is made playable, and how far that is; everything else cannot be. */
function making(server: ServerUnderTest, underWay: Record<number, Processing>) {
  const wanted = vi.spyOn(server.services.encodings, 'want');
  wanted.mockImplementation(async (number) => underWay[number] ?? null);
  onTestFinished(() => wanted.mockRestore());
  return wanted;
}

const queued: Processing = { state: 'queued', progress: 0 };

describe('a library of what some browsers play', async () => {
  const server = await startWith('avc-aac.mkv', 'hevc-aac.mp4');
  const [mkv, hevc] = ['0-avc-aac.mkv', '1-hevc-aac.mp4'];

  test('gives each device what it plays', async () => {
    expect(await pickedPaths(server, playing('matroska', 'hevc'))).toEqual([mkv, hevc]);
    expect(await pickedPaths(server, playing('matroska'))).toEqual([mkv]);
    expect(await pickedPaths(server, playing('hevc'))).toEqual([hevc]);
    expect(await pick(server, playing('hevc'))).toMatchObject({ matching: 1 });
  });

  test('says to others what their browser lacks, of the newest video', async () => {
    const nothing = { available: false, matching: 0, processing: null };
    const noHevc = 'This browser shows no picture for HEVC (H.265) video.';
    expect(await pick(server)).toMatchObject({ ...nothing, message: noHevc });
    expect(await pick(server, {})).toMatchObject({ ...nothing, message: noHevc });
    expect(await pick(server, { cookie: 'plays=ÿÿ' })).toMatchObject({ ...nothing, message: noHevc });
  });

  test('tells what a device lacked that asked, and nothing of one for which nothing is to be made', async () => {
    const recorded = vi.spyOn(server.services.encodings, 'recordMissingNeeds');
    onTestFinished(() => recorded.mockRestore());
    const filter = { tagIds: [], blockedTagIds: [], mode: 'OR', exclude: [], userId: null } as const;
    const audience = {
      viewer: 'v',
      device: usualClass | toNeedBits(['hevc']),
      isDeviceKnown: false,
      rank: 0,
      lines: 540,
    };
    await server.services.giveVideo({ ...filter, isWaitedFor: false }, audience);
    expect(recorded).not.toHaveBeenCalled();
    await pick(server, playing('hevc'));
    expect(recorded.mock.calls).toEqual([[[mediaNeeds.indexOf('matroska')]]]);
  });

  test('goes on so while the database does not answer', async () => {
    await pickedPaths(server, playing('matroska', 'hevc'));
    onTestFinished(
      watchStatements(() => {
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      }),
    );
    expect(await pickedPaths(server, playing('hevc'))).toEqual([hevc]);
  });

  test('gives no device a video meanwhile of which it does not know the file that this device plays', async () => {
    await pickedPaths(server, playing('matroska', 'hevc'));
    await storeEncoding(server, hevc, 'grid', Buffer.from('bytes of grid'));
    onTestFinished(
      watchStatements(() => {
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      }),
    );
    expect(await pickedPaths(server, playing('matroska'))).toEqual([mkv]);
  });
});

describe('a library of which this device plays nothing', async () => {
  const server = await startWith(
    'avc-aac.mkv',
    'hevc-aac.mp4',
    'avc-mp3.avi',
    'avc-10-bit.mp4',
    'wmv1-wma1.wmv',
    'av1-aac.mp4',
  );
  const numbers = await numbersOf(server);
  const numberOf = (path: string) => numbers[path] ?? 0;

  test('has some of it made playable, always the same, and tells how far that is', async () => {
    const wanted = making(server, Object.fromEntries(Object.values(numbers).map((number) => [number, queued])));
    for (let time = 0; time < 5; time += 1)
      expect(await pick(server)).toMatchObject({
        available: false,
        message: 'This video is being made playable.',
        processing: queued,
      });
    const first = wanted.mock.calls.slice(0, 4);
    expect(wanted.mock.calls).toEqual([first, first, first, first, first].flat());
    expect(new Set(first.flat())).toEqual(
      new Set(['5-av1-aac.mp4', '3-avc-10-bit.mp4', '1-hevc-aac.mp4', '0-avc-aac.mkv'].map(numberOf)),
    );
  });

  test('tells of the one that is nearest', async () => {
    const running: Processing = { state: 'running', progress: 40 };
    making(server, {
      [numberOf('0-avc-aac.mkv')]: queued,
      [numberOf('1-hevc-aac.mp4')]: { state: 'running', progress: 10 },
      [numberOf('2-avc-mp3.avi')]: running,
      [numberOf('5-av1-aac.mp4')]: queued,
    });
    expect(await pick(server)).toMatchObject({ processing: running });
  });

  test('has what nothing plays made playable where the rest cannot be', async () => {
    making(server, { [numberOf('2-avc-mp3.avi')]: queued });
    expect(await pick(server)).toMatchObject({ processing: queued });
  });

  test('says why when nothing can be made of it', async () => {
    making(server, { [numberOf('4-wmv1-wma1.wmv')]: { state: 'failed', progress: 0 } });
    expect(await pick(server)).toMatchObject({
      message: 'This browser shows no picture for AV1 video.',
      processing: null,
    });
  });

  test('says what was found out, and asks no more for what cannot be made', async () => {
    const failure = 'Converting this video took too long.';
    const { database } = server.services;
    const files = await database.reader.selectFrom('videos').select(['number', 'size', 'modified_us']).execute();
    const found = files.map(({ number, ...file }) => ({
      ...file,
      ...{ video_number: number, failure, notes: '[]', found_at: 1 },
    }));
    await database.write((transaction) => transaction.insertInto('media_findings').values(found).execute());
    onTestFinished(() =>
      database.write(async (transaction) => void (await transaction.deleteFrom('media_findings').execute())),
    );
    const wanted = making(server, {});
    expect(await pick(server)).toMatchObject({ message: failure, processing: null });
    expect(wanted).not.toHaveBeenCalled();
  });

  test('plays what is playable by then, and asks for nothing more', async () => {
    const wanted = making(server, {});
    await storeEncoding(server, '2-avc-mp3.avi', 'grid', Buffer.from('bytes of grid'));
    expect(await pickedPaths(server, playing())).toEqual(['2-avc-mp3.avi']);
    expect(await pick(server)).toMatchObject({ available: true, rendition: 'grid' });
    expect(wanted).not.toHaveBeenCalled();
  });
});

describe('the page', async () => {
  const server = await startWith('avc-aac.mkv');
  const [number = 0] = Object.values(await numbersOf(server));
  let wanted: ReturnType<typeof making>;
  beforeEach(() => {
    wanted = making(server, { [number]: queued });
  });
  afterEach(() => wanted.mockRestore());

  /** On a busy machine the page may have gone without them: it waits 100 ms. */
  async function openPage(headers: Record<string, string> = {}): Promise<FirstPicks | null> {
    const { body } = await server.get('/', headers);
    const [, text = ''] = new RegExp(`id="${firstVideosId}">(.*?)</script>`).exec(body) ?? [];
    return text === '' ? null : (JSON.parse(text) as FirstPicks);
  }

  test('of a device that has not told what it plays goes out without picks where it may play nothing', async () => {
    expect(await openPage()).toBeNull();
    expect(wanted).not.toHaveBeenCalled();
  });

  test('of one that has told says what is being done', async () => {
    const picks = await vi.waitFor(async () => (await openPage(playing())) ?? Promise.reject(new Error('no picks')));
    expect(picks['top-left']).toMatchObject({ available: false, processing: queued });
    expect(wanted).toHaveBeenCalledWith(number);
  });

  test('of one that plays it carries videos, as its first call does', async () => {
    const picks = await vi.waitFor(
      async () => (await openPage(playing('matroska'))) ?? Promise.reject(new Error('no picks')),
    );
    expect(picks['top-left']).toMatchObject({ available: true });
    const first = (cookies: Record<string, string>) => server.get('/api/video/first', cookies);
    expect((await first(playing('matroska'))).json()).toMatchObject({ 'top-left': { available: true } });
    expect((await first(playing())).json()).toMatchObject({ 'top-left': { available: false, processing: queued } });
  });
});
