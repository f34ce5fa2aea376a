import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import type { DevToolsPage } from '#tests/support/devtools-page.ts';
import type { GoBetween } from '#tests/support/go-between.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
import { containerFor, oldVersions, startOldChromium } from '#tests/support/old-chromium.ts';
import type { Site } from '#tests/support/product.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { startSwift } from '#tests/support/storage/swift-store.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import type { Deliver } from '../delivered.ts';
import { deliveries, readFaults, uploadVideos, watchViolations } from '../delivered.ts';
import { test } from '../journey.ts';
import type { Moment, OldVideo } from './old-page.ts';
import {
  focusOn,
  hasFourStills,
  hasSkipped,
  haveAdvanced,
  isDialogClosed,
  lookAtFronts,
  openMenuOf,
  pressButton,
} from './old-page.ts';

const uploaded = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];
const soughtSeconds = 10;

interface Delivered {
  readonly name: string;
  readonly site: Site;
  /** What stands before the origin of the videos. */
  readonly between: GoBetween;
}

// One Swift serves both sites, as its start takes longer than all that the browser does.
for (const version of isWholeSoak ? oldVersions : [68 as const])
  test(`Chromium ${version} plays, seeks, skips and keeps videos from ${Object.keys(deliveries).join(' and ')}, and replaces an address that is refused`, async ({
    endings,
    openProduct,
  }) => {
    const atEnd: AtEnd = (end) => endings.unshift(async () => end());
    const swift = await startSwift(atEnd);
    if (swift === null) return test.skip();
    const open = async ([name, deliver]: [string, Deliver]): Promise<Delivered> => {
      let between: GoBetween | undefined;
      const site = await openProduct({ names: [] }, async (address) => {
        const { env, origin } = await deliver({ swift, site: address, atEnd });
        between = await startGoBetween(origin);
        atEnd(between.close);
        const settings = Object.entries(env).map(([key, value]) => [
          key,
          value.replace(hostOf(origin), hostOf(between!.address)),
        ]);
        return Object.fromEntries(settings);
      });
      await uploadVideos(site, uploaded, containerFor(version));
      return { name, site, between: between! };
    };
    const delivered = await Promise.all(Object.entries(deliveries).map(open));

    const browser = await startOldChromium(version);
    endings.unshift(() => browser.close());
    await browser.page.resize(1920, 1080);
    await browser.page.runFirst(watchViolations, null);
    await browser.page.runFirst(forgetNeeds, null);
    for (const one of delivered) await test.step(one.name, () => watch(browser.page, one));
  });

async function watch(page: DevToolsPage, { site, between }: Delivered): Promise<void> {
  await page.open(site.address);
  await page.until('four stills', hasFourStills, null);
  const stills = await page.evaluate(lookAtFronts, null);
  for (const { source } of stills) expect(source.startsWith(`${between.address}/`)).toBe(true);
  await page.click(960, 540);
  await page.until('four videos that advance', haveAdvanced, stills);

  // Paused, the others do not come to their ends, and ask for nothing.
  for (const quadrant of quadrants.slice(1)) await press(page, 'MediaPlayPause', quadrant);
  await page.until('three paused videos', areOthersPaused, null);
  expect(await page.evaluate(seekFirst, soughtSeconds)).toBeGreaterThan(soughtSeconds);
  const refused = refuseOne(between);
  let shown = '';
  // What was prepared before comes first.
  for (let skips = 0; skips < 3 && (shown === '' || shown !== refused()); skips += 1) {
    const [before] = await page.evaluate(lookAtFronts, null);
    await press(page, 'MediaTrackNext', 'top-left');
    await page.until('another video in its place', hasSkipped, before as Moment);
    const [after] = await page.evaluate(lookAtFronts, null);
    shown = new URL(after?.source ?? '').pathname;
  }
  expect(shown).toBe(refused());

  await page.evaluate(openMenuOf, 'top-left');
  await page.until('the entry of the menu', pressButton, 'Keep offline');
  await page.until('the button of the dialog', pressButton, 'Keep offline');
  await page.until('a closed dialog', isDialogClosed, null);
  expect(await page.evaluate(readFaults, null)).toEqual([]);
  await page.open(`${site.address}/?view=profile`);
  await page.until('a video that is kept', saysKept, null);
  expect(await page.evaluate(readFaults, null)).toEqual([]);
  expect(page.errors).toEqual([]);
}

function hostOf(address: string): string {
  return new URL(address).host;
}

/**
 * Refuses the next video that an element asks for, and the question that follows, whether it can be had at all: where it
 * can, a decoder may be what is missing. It refuses as stores do, without a word for other origins. Chromium would keep
 * a 410 for good, and the new address is the same one here.
 * @returns what tells its path
 */
function refuseOne(between: GoBetween): () => string {
  let refused = '';
  let left = 2;
  between.interfere((path, { origin, range }) => {
    const { pathname } = new URL(path, between.address);
    if (left === 0 || origin === undefined || range === undefined) return null;
    if (refused === '' ? range !== 'bytes=0-' : pathname !== refused) return null;
    refused = pathname;
    left -= 1;
    return { status: 403, body: '' };
  });
  return () => refused;
}

async function press(page: DevToolsPage, key: string, quadrant: string): Promise<void> {
  await page.evaluate(focusOn, quadrant);
  await page.press(key);
}

/* What runs in the page is written in the syntax of its engine. */

/**
 * All that this engine plays has needs, and of such a video another address is asked for anyway: here it has to be for
 * the sake of the other host.
 */
function forgetNeeds(): void {
  const parse = JSON.parse;
  JSON.parse = (text) => parse(text, (key, value) => (key === 'needs' ? 0 : value));
}

/** Resolves with the time of the first video once it has come to a new time and shows a later frame. */
function seekFirst(seconds: number): Promise<number> {
  const front = document.querySelector('section[data-quadrant] video[data-layer="front"]') as OldVideo;
  return new Promise((resolve) => {
    front.addEventListener('seeked', () => {
      const { currentTime: time, webkitDecodedFrameCount: frames } = front;
      front.addEventListener('timeupdate', () => {
        if (front.currentTime > time && front.webkitDecodedFrameCount > frames) resolve(front.currentTime);
      });
    });
    front.currentTime = seconds;
  });
}

function areOthersPaused(): boolean {
  const others = document.querySelectorAll<HTMLVideoElement>(
    'section:not([data-quadrant="top-left"]) video[data-layer="front"]',
  );
  return Array.from(others).every((front) => front.paused);
}

function saysKept(): boolean {
  return /Kept offline · /.test(document.body.textContent || '');
}
