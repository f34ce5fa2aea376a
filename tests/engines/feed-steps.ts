import assert from 'node:assert/strict';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureOf } from '#tests/e2e/hues.ts';
import type { Screen } from './screen.ts';

const here: Quadrant = 'top-left';

/** On screen, not only decoded: each quadrant is the colour of a video of its own. */
export async function seePictures(screen: Screen): Promise<string> {
  await screen.until('four videos', () =>
    screen.page.evaluate(() => document.querySelectorAll('section[data-quadrant]').length === 4, null),
  );
  await screen.until('four pictures of four videos', async () => {
    const seen = Object.values(await screen.colours()).map(fixtureOf);
    return !seen.includes(null) && new Set(seen).size === quadrants.length;
  });
  const posters = Object.values(await screen.look()).filter(({ hasPoster }) => hasPoster).length;
  return posters === 0 ? 'frames' : `${posters} posters`;
}

export async function play(screen: Screen): Promise<undefined> {
  await screen.click('Tap anywhere to play all videos');
  await screen.untilAllAdvance();
}

export async function skip(screen: Screen): Promise<undefined> {
  const first = (await screen.look())[here].videoId;
  const shows = async (isFirst: boolean) => {
    const { videoId, isPaused, time } = (await screen.look())[here];
    return (videoId === first) === isFirst && !isPaused && time > 0;
  };
  await screen.control(here, 'Skip');
  await screen.until('another video', () => shows(false));
  await screen.control(here, 'Skip back');
  await screen.until('the first video', () => shows(true));
}

export async function seek(screen: Screen): Promise<undefined> {
  const part = async () => {
    const { time, length } = (await screen.look())[here];
    return time / length;
  };
  await screen.control(here, 'Seek', 0.5);
  await screen.until('the middle of the video', async () => (await part()) > 0.45 && (await part()) < 0.8);
  await screen.untilAllAdvance();
  await screen.control(here, 'Seek back 1 minute');
  await screen.until('the start of the video', async () => (await part()) < 0.4);
  await screen.untilAllAdvance();
}

export async function pin(screen: Screen): Promise<undefined> {
  await screen.control(here, 'Pin');
  await screen.until('a pinned video', async () => (await screen.look())[here].isPinned);
  const { videoId } = (await screen.look())[here];
  await screen.control(here, 'Skip');
  await screen.untilAllAdvance();
  assert.equal((await screen.look())[here].videoId, videoId, 'a pinned video stays');
  await screen.control(here, 'Unpin');
  await screen.until('no pinned video', async () => !(await screen.look())[here].isPinned);
}

export async function mute(screen: Screen): Promise<undefined> {
  await screen.control(here, 'Unmute');
  await screen.until('sound', async () => !(await screen.look())[here].isMuted);
  await screen.control(here, 'Mute');
  await screen.until('silence', async () => (await screen.look())[here].isMuted);
  await screen.untilAllAdvance();
}

export async function changeVolume(screen: Screen): Promise<undefined> {
  await screen.control(here, 'Unmute');
  await screen.control(here, 'Volume', 0.3);
  await screen.until('a volume of 0.3', async () => (await screen.look())[here].volume === 0.3);
  await screen.control(here, 'Mute');
}

export async function expand(screen: Screen): Promise<undefined> {
  const other: Quadrant = 'bottom-right';
  const { width: half } = await screen.boxOf(other);
  const isGrid = async () => (await screen.boxOf(other)).width === half;
  const { x, y } = await screen.pointIn(other);
  await screen.page.doubleClick(x, y);
  await screen.until('a quadrant that fills the window', async () => (await screen.boxOf(other)).width > 1.9 * half);
  await screen.until(
    'three videos that rest',
    async () => Object.values(await screen.look()).filter(({ isPaused }) => isPaused).length === 3,
  );
  await screen.page.goBack();
  await screen.until('the grid after Back', isGrid);

  await screen.control(other, 'Expand');
  await screen.until('an expanded quadrant', async () => (await screen.look())[other].isExpanded);
  await screen.control(other, 'Back to the grid');
  await screen.until('the grid', isGrid);
  await screen.untilAllAdvance();
}
