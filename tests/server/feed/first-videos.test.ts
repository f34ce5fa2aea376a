import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { FirstPicks } from '#contract/entities/feed.ts';
import { firstPicksSchema } from '#contract/entities/feed.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import { quadrants } from '#contract/quadrants.ts';
import { encodingRepository } from '#server/features/videos/encoding-repository.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { putPerson, signIn } from '#tests/support/people.ts';
import type { ServerOptions, ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const page = `<!doctype html><script type="application/json" id="${firstVideosId}"></script><title>Fourfold</title>`;
const app = temporaryFolder(afterFile);
putFile(app, 'index.html', page);

function startWith(names: string[], options: ServerOptions = {}, atEnd?: AtEnd): Promise<ServerUnderTest> {
  const folder = temporaryFolder(atEnd);
  if (names.length > 0) putVideos(folder, ...names);
  return startServer({ library: [folder], overrides: { folders: { app } }, ...options }, atEnd);
}

const filtered = await startServer({}, afterFile);
/** The second is red, the third is blue and the fourth is both. */
const [plain = '', red = '', blue = '', both = ''] = await filtered.services.idSets.write(
  async (transaction, changes) => {
    const stored = await storeVideos(transaction, changes, 4);
    await storeTag(transaction, changes, 'red', [stored[1] ?? '', stored[3] ?? '']);
    await storeTag(transaction, changes, 'blue', stored.slice(2));
    return stored;
  },
);

const five = ['a.mp4', 'b.mp4', 'c.mp4', 'd.mp4', 'e </script>.mp4'];
const server = await startWith(five, {}, afterFile);
const empty = await startWith([], {}, afterFile);

async function openPage(server: ServerUnderTest, headers: Record<string, string> = {}) {
  const reply = await server.get('/', headers);
  const [, text = ''] = new RegExp(`id="${firstVideosId}">(.*?)</script>`).exec(reply.body) ?? [];
  return { reply, picks: text === '' ? undefined : (JSON.parse(text) as FirstPicks | null) };
}

/** On a busy machine the page may have gone without them: it waits 100 ms. */
function openFilledPage(server: ServerUnderTest, headers: Record<string, string> = {}) {
  return vi.waitFor(async () => {
    const opened = await openPage(server, headers);
    expect(opened.picks).toBeDefined();
    return opened;
  });
}

function cookiesOf(reply: { headers: Record<string, unknown> }): string {
  return [reply.headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0])
    .join('; ');
}

describe('the first videos', () => {
  test('are four that differ, in the shape of the contract, with addresses that play', async () => {
    for (let time = 0; time < 20; time += 1) {
      const picks = firstPicksSchema.parse((await server.get('/api/video/first')).json());
      expect(new Set(Object.values(picks).map(({ id }) => id)).size).toBe(quadrants.length);
    }
    const picks = firstPicksSchema.parse((await server.get('/api/video/first')).json());
    for (const { url } of Object.values(picks)) expect((await server.get(url ?? '')).statusCode).toBe(200);
  });

  test('repeat only where there are fewer than four', async () => {
    const small = await startWith(['a.mp4', 'b.mp4', 'c.mp4']);
    const picks = firstPicksSchema.parse((await small.get('/api/video/first')).json());
    expect(new Set(Object.values(picks).map(({ id }) => id)).size).toBe(3);
  });

  test('have the audio track in the language that was chosen last on the device', async () => {
    const spoken = await startWith(['a.mp4']);
    const { database, derivedFiles, idSets } = spoken.services;
    const stored = await derivedFiles.put(Buffer.from('in German'), '.mp4');
    const { number, size, modified_us } = await database.reader
      .selectFrom('videos')
      .select(['number', 'size', 'modified_us'])
      .executeTakeFirstOrThrow();
    const file = { video_number: number, size, modified_us, ...stored, width: 320, height: 180 };
    const track = { rendition: 'grid', track: 1, language: 'de', made_at: 1, used_at: 1 } as const;
    await idSets.write((transaction, changes) =>
      encodingRepository.putAudio(transaction, changes, { ...file, ...track }),
    );
    for (const [cookie, expected] of [
      ['audio=de', { audio_track: 1 }],
      ['audio=fr', {}],
      ['audio=', {}],
    ] as const) {
      const picks = firstPicksSchema.parse((await spoken.get('/api/video/first', { cookie })).json());
      expect(picks['top-left']).toMatchObject(expected);
      if (!('audio_track' in expected)) expect(picks['top-left']).not.toHaveProperty('audio_track');
    }
    const { picks } = await openFilledPage(spoken, { cookie: 'audio=de' });
    expect(picks?.['bottom-right']).toMatchObject({ audio_track: 1 });
  });

  describe('under filters', () => {
    const firsts = async (query: Record<string, string>) => {
      const reply = await filtered.get(`/api/video/first?${new URLSearchParams(query)}`);
      return { status: reply.statusCode, picks: reply.statusCode === 200 ? firstPicksSchema.parse(reply.json()) : {} };
    };
    const idsOf = (picks: FirstPicks) => quadrants.map((quadrant) => picks[quadrant]?.id);

    test('are drawn for each quadrant from its own, and no two alike', async () => {
      for (let time = 0; time < 10; time += 1) {
        const { picks } = await firsts({
          'top-left': 'tag-red,tag-blue',
          'top-left-mode': 'AND',
          'top-right': 'tag-red',
          'bottom-left': 'tag-red,tag-blue',
        });
        expect(idsOf(picks)).toEqual([both, red, blue, plain]);
      }
    });

    test('repeat a video rather than leave a quadrant without one', async () => {
      const query = Object.fromEntries(quadrants.map((quadrant) => [quadrant, 'tag-blue']));
      const { picks } = await firsts(query);
      expect([...new Set(idsOf(picks))].sort()).toEqual([blue, both].sort());
    });

    test('are left out where nothing matches, and refused where nothing does for any', async () => {
      const { picks } = await firsts({ 'bottom-left': 'none', 'top-right': 'tag-red,none', 'top-right-mode': 'AND' });
      expect(Object.keys(picks)).toEqual(['top-left', 'bottom-right']);
      const none = Object.fromEntries(quadrants.map((quadrant) => [quadrant, 'none']));
      expect(await firsts(none)).toMatchObject({ status: 404 });
    });

    test('that are too long or have an unknown mode are refused', async () => {
      const many = Array.from({ length: 201 }, (_, index) => `t${index}`).join();
      for (const [name, value] of [
        ['top-left', many],
        ['bottom-right-mode', 'XOR'],
      ] as const)
        expect(await firsts({ [name]: value })).toMatchObject({ status: 400 });
    });
  });

  test('are refused as a pick is where there is no video', async () => {
    const reply = await empty.get('/api/video/first');
    expect([reply.statusCode, reply.json().error]).toEqual([404, 'no_videos_available']);
  });
});

describe('the page', () => {
  test('brings four videos that differ, for this browser alone', async () => {
    const { reply, picks } = await openFilledPage(server);
    expect(new Set(Object.values(firstPicksSchema.parse(picks)).map(({ id }) => id)).size).toBe(quadrants.length);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
    });
    expect(cookiesOf(reply)).toMatch(/^viewer=/);
    const head = await server.call('HEAD', '/');
    expect([head.statusCode, head.body, head.headers['cache-control']]).toEqual([200, '', 'private, no-store']);
  });

  test.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
  ])('crosses the wire smaller for who takes %s', async (taken, encoding, decompress) => {
    const reply = await server.get('/', { 'accept-encoding': taken });
    expect(reply.headers).toMatchObject({
      'content-encoding': encoding,
      vary: 'accept-encoding',
      'content-type': 'text/html; charset=utf-8',
    });
    await vi.waitFor(async () => {
      const again = await server.get('/', { 'accept-encoding': taken });
      expect(decompress(again.rawPayload).toString()).toContain(`id="${firstVideosId}">{`);
    });
    expect(
      (await openPage(server, { 'accept-encoding': 'identity' })).reply.headers['content-encoding'],
    ).toBeUndefined();
  });

  test('brings none to somebody who is signed in, whose picks are their own', async () => {
    await putPerson(server, 'ana');
    const cookie = cookiesOf(await signIn(server, 'ana'));
    expect((await openFilledPage(server, { cookie })).picks).toBeNull();
    expect((await server.get('/api/video/first', { cookie })).statusCode).toBe(204);
  });

  test('says nothing of the library while the gate is closed', async () => {
    const closed = await startWith(five, { env: { SITE_PASSWORD: 'open sesame' } });
    expect((await openPage(closed)).reply.body).toBe(page);
    const cookie = cookiesOf(await closed.call('POST', '/api/password-auth', { payload: { password: 'open sesame' } }));
    expect(Object.keys((await openFilledPage(closed, { cookie })).picks ?? {})).toEqual([...quadrants]);
  });

  test('comes as it is where there is no video, and from its file by its own name', async () => {
    expect((await openPage(empty)).reply.body).toBe(page);
    expect((await empty.get('/index.html')).body).toBe(page);
  });
});
