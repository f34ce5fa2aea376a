import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Video } from '#contract/entities/video.ts';
import { videoSchema } from '#contract/entities/video.ts';
import { toNeedBits } from '#contract/rules/media-needs.ts';
import { storeEncoding, storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
for (const name of ['bare.mp4', 'film.mp4']) copyFileSync(largeVideo(), join(folder, name));
const server = await startServer({ library: [folder] }, afterFile);
const grid = Buffer.from('bytes of grid');
const contents = {
  grid: await storeEncoding(server, 'film.mp4', 'grid', grid),
  hd: await storeEncoding(server, 'film.mp4', 'hd', Buffer.from('bytes of hd')),
  sheet: await storeStoryboard(server, 'film.mp4', Buffer.from('a sheet')),
};
const pro = await putPerson(server, 'ada', 'pro');
await server.services.database.write((transaction) =>
  transaction.updateTable('videos').set({ width: 3840, height: 2160 }).where('path', '=', 'film.mp4').execute(),
);

/** The two videos as a list or page shows them. */
const lists: [string, string, (reply: unknown) => Video[]][] = [
  ['a channel', '/api/videos/by-tags', (reply) => (reply as { videos: Video[] }).videos],
  ['tagging', '/api/videos/tagging', (reply) => (reply as { videos: { video: Video }[] }).videos.map(toVideo)],
  [
    'all of tagging',
    '/api/videos/tagging/all',
    (reply) => (reply as { videos: { video: Video }[] }).videos.map(toVideo),
  ],
];

function toVideo({ video }: { video: Video }): Video {
  return videoSchema.parse(video);
}

function findVideo(videos: readonly Video[], path: string): Video {
  const found = videos.find((video) => video.path === path);
  if (found === undefined) throw new Error(`There is no ${path}.`);
  return found;
}

test.each(lists)(
  'a card in %s plays the smallest encoding, and names what its viewer may have',
  async (_, url, read) => {
    const videos = read((await server.get(url, pro.headers)).json());
    const film = findVideo(videos, 'film.mp4');
    expect(film.renditions.map(({ name }) => name).sort()).toEqual(['grid', 'hd', 'source']);
    expect((await server.get(film.url)).rawPayload.equals(grid)).toBe(true);
    expect(film.storyboard).toMatchObject({ url: expect.stringContaining(contents.sheet), columns: 10 });
    expect(findVideo(videos, 'bare.mp4')).toMatchObject({
      renditions: [{ name: 'source' }],
      storyboard: null,
      processing: null,
    });
  },
);

test('a card for a viewer without HD names the grid alone', async () => {
  const { videos } = (await server.get('/api/videos/by-tags')).json();
  expect(findVideo(videos, 'film.mp4').renditions.map(({ name }) => name)).toEqual(['grid']);
  const { video } = (await server.get(`/api/videos/${findVideo(videos, 'film.mp4').id}`)).json();
  expect(video.renditions).toMatchObject([{ name: 'grid', bytes: grid.length, width: 960, height: 540 }]);
});

test('a card says what is being done on a video that this device does not play', async () => {
  const { encodings } = server.services;
  const asked = vi.spyOn(encodings, 'findProcessing').mockImplementation(async (numbers) => {
    const { number } = await server.services.database.reader
      .selectFrom('videos')
      .select('number')
      .where('path', '=', 'bare.mp4')
      .executeTakeFirstOrThrow();
    return new Map(numbers.includes(number) ? [[number, { state: 'running', progress: 40 }]] : []);
  });
  onTestFinished(() => asked.mockRestore());
  const read = async () => (await server.get('/api/videos/by-tags')).json().videos as Video[];
  expect(findVideo(await read(), 'bare.mp4').processing).toBeNull();
  const setNeeds = (needs: number) =>
    server.services.database.write((transaction) =>
      transaction.updateTable('videos').set({ needs }).where('path', '=', 'bare.mp4').execute(),
    );
  await setNeeds(toNeedBits(['hevc']));
  onTestFinished(async () => void (await setNeeds(0)));
  const videos = await read();
  expect(findVideo(videos, 'bare.mp4')).toMatchObject({
    available: false,
    processing: { state: 'running', progress: 40 },
  });
  expect(findVideo(videos, 'film.mp4').processing).toBeNull();
});

test('encodings and stills of a file that has changed since are on no card', async () => {
  await server.services.database.write(async (transaction) => {
    await transaction.updateTable('encodings').set({ modified_us: 1 }).execute();
    await transaction.updateTable('storyboards').set({ modified_us: 1 }).execute();
  });
  const { videos } = (await server.get('/api/videos/by-tags', pro.headers)).json();
  const film = findVideo(videos, 'film.mp4');
  expect([film.renditions.map(({ name }) => name), film.storyboard]).toEqual([['source'], null]);
});
