import type { Browser, JSHandle, Page } from '@playwright/test';
import { alternate } from './alternate.ts';
import { launchBrowser, viewport } from './browser.ts';
import { watchFrames } from './frame-watch.ts';
import { startSite } from './site.ts';
import { waitForFour } from './start.ts';
import { printDuels } from './table.ts';

const rounds = 5;
const skipsPerVisit = 8;

/** From the key to the next video's first picture on screen, against a change of `src` to an address that is already known. */
export async function measureSkip(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const [product, peer] = await alternate(
      rounds,
      () => visit(browser, site.address, skipProduct),
      async () => {
        const clips = await site.drawClips();
        return visit(browser, await site.drawBareAddress(), (page, turn) => skipBare(page, clips[turn % clips.length] ?? ''));
      },
    );
    printDuels(`Skip, ${rounds * skipsPerVisit} each, four playing; peer: the bare page changes a src it knows`, [
      { what: 'key to the next picture', product: product.flat(), peer: peer.flat(), goal: 1.15, floor: 1.5 },
    ]);
  } finally {
    await browser.close();
    await site.stop();
  }
}

async function visit(browser: Browser, address: string, skip: (page: Page, turn: number) => Promise<number>): Promise<number[]> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  try {
    const page = await context.newPage();
    await page.goto(address);
    await waitForFour(page, -1);
    await page.mouse.click(viewport.width / 2, viewport.height / 2);
    await waitForFour(page, await page.evaluate(() => window.lastClickAt));
    const times: number[] = [];
    for (let turn = 0; turn < skipsPerVisit; turn += 1) times.push(await skip(page, turn));
    return times;
  } finally {
    await context.close();
  }
}

/** The next picture is on screen in the frame after its layer came to the front. */
async function skipProduct(page: Page): Promise<number> {
  const quadrant = page.locator('section[data-quadrant="top-left"]');
  await quadrant.focus();
  const watch = await quadrant.evaluateHandle((section) => {
    const layers = [...section.querySelectorAll('video')];
    const back = layers.find((layer) => layer.dataset.layer === 'back');
    const shown = new Promise<number>((resolve) => {
      let pressedAt = 0;
      const press = (event: KeyboardEvent) => {
        pressedAt = event.timeStamp;
      };
      addEventListener('keydown', press, { capture: true, once: true });
      const layerWatch = new MutationObserver(() => {
        if (back?.dataset.layer !== 'front') return;
        layerWatch.disconnect();
        requestAnimationFrame((at) => resolve(at - pressedAt));
      });
      for (const layer of layers) layerWatch.observe(layer, { attributes: true, attributeFilter: ['data-layer'] });
    });
    return { shown };
  });
  return pressAndWait(page, watch);
}

async function skipBare(page: Page, address: string): Promise<number> {
  const watch = await page.evaluateHandle((next) => {
    const video = document.querySelector('video');
    if (video === null) throw new Error('the bare page has no video');
    const shown = new Promise<number>((resolve) => {
      const change = (event: KeyboardEvent) => {
        video.src = next;
        void video.play();
        video.requestVideoFrameCallback((at) => resolve(at - event.timeStamp));
      };
      addEventListener('keydown', change, { capture: true, once: true });
    });
    return { shown };
  }, address);
  return pressAndWait(page, watch);
}

/** The page listens before the key goes down. */
async function pressAndWait(page: Page, watch: JSHandle<{ shown: Promise<number> }>): Promise<number> {
  await page.keyboard.press('ArrowRight');
  const shown = await page.waitForFunction(({ shown: promise }) => promise, watch, { timeout: 20_000 });
  return shown.jsonValue();
}
