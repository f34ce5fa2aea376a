import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { TagList } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { Video } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { DeviceClass, MediaNeed } from '#contract/rules/media-needs.ts';
import { deviceClassCookie, lackingNeeds, readDeviceClass, toNeedBits } from '#contract/rules/media-needs.ts';
import { corpus } from '#tests/support/media/corpus/corpus.ts';
import type { CorpusEntry } from '#tests/support/media/corpus/corpus-entry.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { nameColours, namedPattern } from '#tests/support/media/corpus/seen-colours.ts';
import { test } from './journey.ts';
import type { Played } from './play-address.ts';
import { playAddresses } from './play-address.ts';
import { poll } from './poll.ts';

/** An encoding of everything takes its time on a busy machine, where all else goes first. */
const encodedWithinMs = 30 * 60_000;
/** A list of everything costs much of what an address may ask for. */
const listedEveryMs = 1_000;

test('every file of the corpus plays here with its length, shape, colours and sound', async ({ page, openProduct }) => {
  test.setTimeout(2 * encodedWithinMs);
  const files = Object.fromEntries(corpus.map((entry) => [pathOf(entry), corpusFile(entry.file)]));
  const { address } = await openProduct({ files }, { FFMPEG_PATH: '' });
  await page.goto(address);
  await readDevice(page);
  await page.goto(`${address}/readyz`);
  const askAndList = async () => {
    await askForChannels(page);
    return listMissing(await listVideos(page));
  };
  await poll(askAndList, {
    message: 'each file plays here, by an encoding if need be',
    timeout: encodedWithinMs,
    intervals: [listedEveryMs],
  }).toEqual([]);
  const videos = await listVideos(page);
  // The page tells more of it once its browser has answered, which may have been while the page was left.
  const device = await readDevice(page);
  const addresses = corpus.map(({ file }) => videos.get(file)?.url ?? '');
  const played = await page.evaluate(playAddresses, addresses);
  for (const [place, entry] of corpus.entries())
    expectPlayed({ ...entry, hasSound: isHeard(entry, addresses[place] ?? '', device) }, played[place]);
});

const seldomPlayed: readonly MediaNeed[] = ['hevc', 'over-1080-lines'];

/** What many browsers do not play lies in channels of its own, so that somebody can wait for each of them. */
function pathOf({ file, needs }: CorpusEntry): string {
  return needs.some((need) => seldomPlayed.includes(need)) ? `${file.replace('.', ' ')}/${file}` : file;
}

/** As the page has told the server. */
async function readDevice(page: Page): Promise<DeviceClass> {
  const read = async () => (await page.context().cookies()).find(({ name }) => name === deviceClassCookie)?.value;
  await poll(read, { message: 'the page tells what it plays' }).toBeDefined();
  return readDeviceClass(await read()) ?? 0;
}

/** Draws from each channel, as a quadrant does that waits for what it has. */
async function askForChannels(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { tags } = (await (await fetch('/api/tags')).json()) as TagList;
    for (const { id } of tags) await fetch(`/api/video/top-left?tag_ids=${id}`);
  });
}

/** By their file names. */
async function listVideos(page: Page): Promise<Map<string, Video>> {
  const { videos } = await page.evaluate(
    async () => (await (await fetch('/api/videos/by-tags?limit=100')).json()) as VideoList,
  );
  return new Map(videos.map((video) => [video.filename, video]));
}

function listMissing(videos: ReadonlyMap<string, Video>): string[] {
  return corpus.map(({ file }) => file).filter((file) => !videos.get(file)?.renditions.length);
}

/** A source whose sound alone this browser does not decode is silent; an encoding never is. */
function isHeard({ hasSound, needs }: CorpusEntry, address: string, device: DeviceClass): boolean {
  const isSource = new URLSearchParams(address.split('?')[1]).get('rendition') === 'source';
  return hasSound && !(isSource && lackingNeeds(toNeedBits(needs), device) !== 0);
}

function expectPlayed(entry: CorpusEntry, played: Played | undefined): void {
  const { file, durationMs, width, height, hasSound } = entry;
  expect.soft(played?.error, file).toBeNull();
  if (!played || played.error !== null) return;
  expect.soft(Math.abs(played.duration * 1_000 - durationMs), `${file}: ${played.duration} s`).toBeLessThanOrEqual(200);
  // An encoding has even sides, and may have fewer of them.
  expect.soft(played.height, `${file} high`).toBeLessThanOrEqual(height + 1);
  expect.soft(played.height, `${file} high`).toBeGreaterThanOrEqual(Math.min(height, limits.gridRenditionLines) - 1);
  const shape = `${file}: ${played.width}×${played.height}`;
  expect.soft(Math.abs(played.width - (width * played.height) / height), shape).toBeLessThanOrEqual(2);
  expect.soft(nameColours(entry, played.colours), file).toEqual(namedPattern);
  expect.soft(played.hasSound, `${file} sounds`).toBe(hasSound);
}
