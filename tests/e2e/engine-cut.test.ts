import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

/** Some four seconds of a demo clip: more than the two that the promise asks for. */
const cutAt = 256 * 1024;
/** The browser keeps whole blocks, and asks again from the last one that is complete. */
const blockBytes = 32 * 1024;
/** Well beyond what came before the cut. */
const playedSeconds = 7;

interface Asked {
  readonly video: string;
  readonly from: number;
}

test('a video whose bytes break off is asked for from there, and plays on without a stop', async ({
  feed,
  page,
  demo,
}) => {
  const between = await startGoBetween(demo.address);
  const asked: Asked[] = [];
  between.interfere((path, { range = '' }) => {
    if (!path.startsWith('/api/video/stream')) return null;
    const isFirst = !asked.some(({ video }) => video === path);
    asked.push({ video: path, from: Number(/bytes=(\d+)/.exec(range)?.[1]) });
    return isFirst ? { cutAfterBytes: cutAt } : null;
  });
  try {
    await page.addInitScript(countStalls);
    await feed.play(between.address);
    await poll(async () => Object.values(await feed.look()).map(({ time }) => time > playedSeconds)).not.toContain(
      false,
    );

    const shown = await page.evaluate(() =>
      [...document.querySelectorAll('video')].filter(({ dataset }) => dataset.layer === 'front').map(({ src }) => src),
    );
    expect(shown).toHaveLength(quadrants.length);
    for (const source of shown) {
      const questions = asked.filter(({ video }) => source.endsWith(video)).map(({ from }) => from);
      expect(questions[0], 'from the start').toBe(0);
      expect(questions[1], 'again from where it broke off').toBeGreaterThan(cutAt - 2 * blockBytes);
      expect(questions[1]).toBeLessThanOrEqual(cutAt);
    }
    expect(await page.evaluate(() => window.stalls), 'stops for want of bytes').toEqual([]);
    await feed.waitUntilAllAdvance();
  } finally {
    await between.close();
  }
});

declare global {
  interface Window {
    /** Seconds at which a video that had played ran out of data. */
    stalls: number[];
  }
}

/** Runs in the page. */
function countStalls(): void {
  window.stalls = [];
  const note = ({ target }: Event) => {
    const { currentTime, buffered } = target as HTMLVideoElement;
    const last = buffered.length > 0 ? buffered.end(buffered.length - 1) : 0;
    // A machine that is busy stops a video now and then whose bytes are all there.
    if (currentTime > 0 && last - currentTime < 0.5) window.stalls.push(currentTime);
  };
  const create = document.createElement;
  document.createElement = function (this: Document, ...given: Parameters<typeof create>) {
    const made = create.apply(this, given);
    if (made instanceof HTMLVideoElement) made.addEventListener('waiting', note);
    return made;
  } as typeof create;
}
