import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

interface Watched {
  /** The most elements that had a source at the same time, once the device is known. */
  mostOpen: number;
  /** How often each quadrant has shown another video move. */
  moved: Record<string, string[]>;
  /** Sentences about errors that have stood anywhere. */
  errors: string[];
}

declare global {
  interface Window {
    watched: Watched;
    /** How many elements the device shows. */
    decoders: number;
  }
}

/** Runs in the page before its own scripts: further elements fail, as on a device without more decoders. */
function limitDecoders(decoders: number): void {
  window.decoders = decoders;
  const holders = new Set<HTMLMediaElement>();
  const source = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src');
  const noVideo = URL.createObjectURL(new Blob(['no decoder is free'], { type: 'video/mp4' }));
  const remove = Element.prototype.removeAttribute;
  Object.defineProperty(HTMLMediaElement.prototype, 'src', {
    ...source,
    set(this: HTMLMediaElement, url: string) {
      holders.delete(this);
      const isFree = holders.size < window.decoders;
      if (isFree) holders.add(this);
      source?.set?.call(this, isFree ? url : noVideo);
    },
  });
  Element.prototype.removeAttribute = function (name) {
    if (name === 'src') holders.delete(this as HTMLMediaElement);
    remove.call(this, name);
  };
  window.watched = { mostOpen: 0, moved: {}, errors: [] };
  const { watched } = window;
  document.addEventListener(
    'timeupdate',
    ({ target }) => {
      const video = target as HTMLVideoElement;
      const quadrant = video.closest<HTMLElement>('section[data-quadrant]')?.dataset.quadrant ?? '';
      if (video.dataset.layer !== 'front' || video.currentTime === 0) return;
      const { [quadrant]: moved = [] } = watched.moved;
      if (moved[moved.length - 1] !== video.currentSrc) watched.moved[quadrant] = [...moved, video.currentSrc];
      const isKnown = localStorage.getItem('fourfold.decoders') !== null;
      const open = [...document.querySelectorAll('video')].filter((one) => one.hasAttribute('src')).length;
      if (isKnown) watched.mostOpen = Math.max(watched.mostOpen, open);
    },
    true,
  );
  new MutationObserver(() => {
    if (document.body?.textContent?.includes('Video error')) watched.errors.push('Video error');
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

for (const decoders of isWholeSoak ? [1, 2, 3] : [2])
  test(`a device that shows ${decoders} at once is found out, blames no video, and moves all four in turn`, async ({
    brief,
    feed,
    page,
  }) => {
    await page.addInitScript(limitDecoders, decoders);
    await page.goto(brief.address);
    await feed.start.click();
    await poll(() => page.evaluate(() => localStorage.getItem('fourfold.decoders'))).toContain(
      `"decoders":${decoders}`,
    );
    for (const quadrant of quadrants)
      await poll(async () => (await page.evaluate(() => window.watched.moved))[quadrant]?.length ?? 0, {
        message: `${quadrant} has shown two videos`,
      }).toBeGreaterThanOrEqual(2);
    const { mostOpen, errors } = await page.evaluate(() => window.watched);
    expect(errors).toEqual([]);
    expect(mostOpen).toBeLessThanOrEqual(decoders);

    await page.keyboard.press('i');
    const statistics = page.getByRole('complementary', { name: 'Statistics' });
    await expect(statistics).toContainText(`This device plays ${decoders} of 4 at once.`);
    await expect(statistics).toContainText(`Playing${decoders} of 4`);
    await expectAccessible(page);
    await page.evaluate(() => {
      window.decoders = 6;
    });
    await statistics.getByRole('button', { name: 'Try four again' }).click();
    await feed.waitUntilAllAdvance();
    await expect(statistics).not.toContainText('at once');
  });
