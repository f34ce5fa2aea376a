import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Video } from '#contract/entities/video.ts';
import { toNeedBits, usualClass, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { storeEncoding } from '#tests/support/media/stored-encodings.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('lists of videos', async () => {
  const folder = temporaryFolder(afterFile);
  for (const file of ['avc-aac.mp4', 'avc-aac.mkv', 'av1-aac.mp4']) copyFileSync(corpusFile(file), join(folder, file));
  const server = await startServer({ library: [folder] }, afterFile);
  const { headers: ada } = await putPerson(server, 'ada', 'admin');
  const everywhere = { available: true, message: null };
  const noMkv = { available: false, message: 'This browser cannot play MKV files.' };
  const noAv1 = { available: false, message: 'This browser shows no picture for AV1 video.' };

  const cookieOf = (device: number) => ({ cookie: `plays=${writeDeviceClass(device)}` });
  const usual = cookieOf(usualClass);
  const modern = cookieOf(usualClass | toNeedBits(['matroska', 'av1']));

  async function list(headers: Record<string, string>): Promise<Record<string, Video>> {
    const { videos } = (await server.get('/api/videos/by-tags', headers)).json<{ videos: Video[] }>();
    return Object.fromEntries(videos.map((video) => [video.filename, video]));
  }

  test('have what a device cannot play, and say so', async () => {
    expect(await list(usual)).toMatchObject({
      'avc-aac.mp4': everywhere,
      'avc-aac.mkv': noMkv,
      'av1-aac.mp4': noAv1,
    });
    expect(await list({})).toEqual(expect.objectContaining({ 'avc-aac.mkv': expect.objectContaining(noMkv) }));
    expect(Object.values(await list(modern))).toMatchObject([everywhere, everywhere, everywhere]);
  });

  test('have one video alike, and so have those of who tags', async () => {
    const { id = '' } = (await list(usual))['avc-aac.mkv'] ?? {};
    const read = async (headers: Record<string, string>) => (await server.get(`/api/videos/${id}`, headers)).json();
    expect(await read(usual)).toMatchObject({ video: noMkv });
    expect(await read(modern)).toMatchObject({ video: everywhere });
    const tagging = (await server.get('/api/videos/tagging', { ...ada, ...usual })).json();
    expect(tagging.videos.find(({ video }: { video: Video }) => video.id === id)).toMatchObject({ video: noMkv });
    expect(tagging.counts.total).toBe(3);
  });

  test('say that it is being made playable, and play it as soon as it is', async () => {
    const { encodings, database } = server.services;
    const rows = await database.reader.selectFrom('videos').select('number').execute();
    const processing = { state: 'queued', progress: 0 } as const;
    const found = vi.spyOn(encodings, 'findProcessing');
    onTestFinished(() => found.mockRestore());
    found.mockResolvedValue(new Map(rows.map(({ number }) => [number, processing])));
    expect(await list(usual)).toMatchObject({
      'avc-aac.mkv': { available: false, message: 'This video is being made playable.', processing },
      'avc-aac.mp4': everywhere,
    });
    found.mockResolvedValue(new Map());
    await storeEncoding(server, 'avc-aac.mkv', 'grid', Buffer.from('bytes of grid'));
    expect(await list(usual)).toMatchObject({ 'avc-aac.mkv': everywhere, 'av1-aac.mp4': noAv1 });
  });
});
