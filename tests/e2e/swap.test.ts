import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Feed } from './feed.ts';
import { asking } from './feed.ts';
import { fixtureOf, withoutRepeats } from './hues.ts';
import { test } from './journey.ts';
import type { Colour, Point } from './screencast.ts';
import { Screencast } from './screencast.ts';

/** A point of each quadrant where neither a message nor a control stands. */
const points: Point[] = [
  [0.15, 0.16],
  [0.65, 0.16],
  [0.15, 0.66],
  [0.65, 0.66],
];

test('at eight swaps no frame is black, and no older video comes back', async ({ feed, page }) => {
  const readGiven = hearGiven(page);
  await feed.play(asking());
  await page.mouse.move(720, 440);
  const screencast = await Screencast.start(page);

  for (let round = 0; round < 2; round += 1) {
    for (const quadrant of quadrants) await skipOnce(feed, quadrant);
    await feed.waitUntilAllAdvance();
  }

  const given = await readGiven();
  const frames = await screencast.colours(points);
  expect(frames.length).toBeGreaterThan(16);
  await attachLost(frames, screencast);
  quadrants.forEach((quadrant, at) => {
    expect(seenIn(frames, quadrant, at, given).length, `${quadrant} has changed twice`).toBe(3);
  });
});

test('at six skips as fast as the videos come no frame is black, and no older video comes back', async ({
  feed,
  page,
}) => {
  const readGiven = hearGiven(page);
  await feed.play(asking());
  await page.mouse.move(720, 440);
  const screencast = await Screencast.start(page);

  for (let skip = 0; skip < 6; skip += 1) await skipOnce(feed, 'top-left');
  await feed.waitUntilAllAdvance();

  const given = await readGiven();
  const frames = await screencast.colours(points);
  await attachLost(frames, screencast);
  quadrants.forEach((quadrant, at) => {
    expect(seenIn(frames, quadrant, at, given).length, `${quadrant} shows the last one`).toBeGreaterThan(
      quadrant === 'top-left' ? 1 : 0,
    );
  });
});

async function skipOnce(feed: Feed, quadrant: Quadrant): Promise<void> {
  const { videoId } = (await feed.look())[quadrant];
  await feed.skipByKey(quadrant);
  await feed.waitForOtherVideo(quadrant, videoId);
}

type Given = ReadonlyMap<Quadrant, readonly string[]>;

/** From now on: what the server gives each quadrant. */
function hearGiven(page: Page): () => Promise<Given> {
  const answers = new Map<Quadrant, Array<Promise<string>>>(quadrants.map((quadrant) => [quadrant, []]));
  page.on('response', (response) => {
    const quadrant = /\/api\/video\/([a-z]+-[a-z]+)/.exec(response.url())?.[1] as Quadrant | undefined;
    if (quadrant === undefined) return;
    answers
      .get(quadrant)
      ?.push(response.json().then(({ filename }: { filename: string }) => filename.replace('.mp4', '')));
  });
  return async () =>
    new Map(
      await Promise.all([...answers].map(async ([quadrant, names]) => [quadrant, await Promise.all(names)] as const)),
    );
}

/** Which videos a quadrant showed, one after the other: nothing else, and in the order in which they were given. */
function seenIn(
  frames: readonly Colour[][],
  quadrant: Quadrant,
  at: number,
  given: Given,
): ReadonlyArray<string | null> {
  const shown = frames.map((colours) => fixtureOf(colours[at] ?? [0, 0, 0]));
  expect(shown, `${quadrant} shows nothing but its videos`).not.toContain(null);
  const seen = withoutRepeats(shown);
  const names = given.get(quadrant) ?? [];
  expect(isInOrder(seen, names), `${quadrant} shows ${seen}, in the order in which it was given ${names}`).toBe(true);
  return seen;
}

/** For whoever looks into a failure. */
async function attachLost(frames: readonly Colour[][], screencast: Screencast): Promise<void> {
  for (const [at, colours] of frames.entries()) {
    if (colours.some((colour) => fixtureOf(colour) === null))
      await test.info().attach(`frame ${at}`, { body: screencast.picture(at), contentType: 'image/jpeg' });
  }
}

/** Some of what was given is not shown: another quadrant took it meanwhile. It may be given again. */
function isInOrder(seen: ReadonlyArray<string | null>, given: readonly string[]): boolean {
  let from = 0;
  return seen.every((fixture) => {
    const at = given.indexOf(fixture ?? '', from);
    from = at + 1;
    return at >= 0;
  });
}
