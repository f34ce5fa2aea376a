import type { Page } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Feed } from './feed.ts';
import { poll } from './poll.ts';

/** The ids that a page has told the server to be watched, in their order, as far as it has answered. */
export function toldBy(page: Page): readonly string[] {
  const told: string[] = [];
  page.on('response', (response) => {
    const request = response.request();
    if (request.method() !== 'POST' || new URL(request.url()).pathname !== '/api/watched' || !response.ok()) return;
    told.push(...(request.postDataJSON() as { ids: string[] }).ids);
  });
  return told;
}

/**
 * Skips once in each quadrant, when the server knows what was shown before. @returns the ids of the four first videos
 * and of those that have come
 */
export async function videosOfRound(
  feed: Feed,
  told: readonly string[],
  skip: (quadrant: Quadrant) => Promise<void>,
): Promise<string[]> {
  const shown = Object.values(await feed.look()).map(({ videoId }) => videoId);
  for (const quadrant of quadrants) {
    await poll(() => shown.every((id) => told.includes(id)), { message: 'what was shown is told' }).toBe(true);
    const before = (await feed.look())[quadrant].videoId;
    await skip(quadrant);
    await feed.waitForOtherVideo(quadrant, before);
    shown.push((await feed.look())[quadrant].videoId);
  }
  await poll(() => shown.every((id) => told.includes(id)), { message: 'the last one is told' }).toBe(true);
  return shown;
}
