import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { test } from './journey.ts';

const screens = [
  { name: 'a desk', width: 1440, height: 900, address: '/' },
  { name: 'a TV', width: 1920, height: 1080, address: '/?form=tv' },
  { name: 'a TV that reports half its pixels', width: 960, height: 540, address: '/?form=tv' },
  { name: 'a phone held upright', width: 390, height: 844, address: '/?form=phone' },
  { name: 'a phone held sideways', width: 844, height: 390, address: '/?form=phone' },
];

/** Between two pictures, in CSS pixels (design: 2, on a TV of 1920 pixels 3). */
const gapAtMost = 3;

for (const { name, width, height, address } of screens) {
  test(`on ${name} (${width}×${height}) four equal pictures fill the window, and words keep inside the safe area`, async ({ page, feed }) => {
    await page.setViewportSize({ width, height });
    await feed.open(address);
    await feed.waitForStills();

    const boxes = await Promise.all(quadrants.map((quadrant) => feed.quadrant(quadrant).boundingBox()));
    for (const box of boxes) {
      expect(box?.width).toBeGreaterThanOrEqual((width - gapAtMost) / 2 - 0.5);
      expect(box?.height).toBeGreaterThanOrEqual((height - gapAtMost) / 2 - 0.5);
    }
    expect(Math.max(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0)))).toBeCloseTo(width, 0);
    expect(Math.max(...boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0)))).toBeCloseTo(height, 0);
    expect(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])).toEqual([width, height]);
    expect(await feed.marksOutsideSafeArea()).toEqual([]);

    await feed.start.click();
    await feed.quadrant('bottom-right').hover();
    expect(await feed.marksOutsideSafeArea()).toEqual([]);
  });
}

test('in a window of any width the controls of a pinned quadrant keep inside it, and are targets of 44 pixels at least', async ({ feed, page }) => {
  await feed.open();
  await feed.waitForStills();
  await feed.start.click();
  await feed.quadrant('top-left').focus();
  await page.keyboard.press('z');
  for (const [width, height] of [
    [1440, 600],
    [1280, 600],
    [1024, 600],
    [960, 600],
    [768, 600],
    [620, 450],
    [568, 320],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.mouse.move(width / 4, 100 + width / 100);
    await expect(feed.control('top-left', 'Unpin')).toBeVisible();
    const quadrant = await feed.quadrant('top-left').boundingBox();
    const right = (quadrant?.x ?? 0) + (quadrant?.width ?? 0);
    for (const control of await feed.quadrant('top-left').locator('button, input').filter({ visible: true }).all()) {
      const box = await control.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0), `${await control.getAttribute('aria-label')} at ${width}`).toBeLessThan(right);
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), `${await control.getAttribute('aria-label')} at ${width}`).toBeGreaterThanOrEqual(44);
    }
  }
});
