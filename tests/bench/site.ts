import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import type { ProductOptions } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';

/** The product and the bare page, side by side on one server. */
export interface Site {
  readonly address: string;
  /** Clips drawn at random as the product draws its own, each one another. */
  drawClips(count: number): Promise<string[]>;
  /** The bare page with four clips drawn anew. */
  drawBareAddress(playing?: number): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the product, and waits until its work in the background is done.
 * @param options with the demo library, unless they name another one
 */
export async function startSite(options: ProductOptions = {}): Promise<Site> {
  const product = await startProduct({ ...options, entry: 'tests/bench/site-server.ts' });
  await untilIdle(product.address);
  const drawClips = (count: number) => draw(product.address, count);
  return {
    address: `${product.address}/`,
    drawClips,
    drawBareAddress: async (playing = quadrants.length) =>
      `${product.address}/bare?playing=${playing}&${new URLSearchParams((await drawClips(quadrants.length)).map((address) => ['video', address]))}`,
    stop: product.dispose,
  };
}

const askEveryMs = 250;

/** Waits until the work in the background of a `site-server.ts` is done. */
export async function untilIdle(address: string): Promise<void> {
  while ((await (await fetch(`${address}/idle`)).json()) !== true) await delay(askEveryMs);
}

/**
 * Waits until the product's worker has stored its files and answers the page: until then it takes time of the processor
 * and of the network. The bare page has no worker.
 */
export async function untilWorkerRests(page: Page): Promise<void> {
  await page.evaluate(async () => {
    if (document.querySelector('link[rel="manifest"]') === null) return;
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller === null)
      await new Promise((tell) => navigator.serviceWorker.addEventListener('controllerchange', tell, { once: true }));
  });
}

async function draw(address: string, count: number): Promise<string[]> {
  const drawn: { id: string; url: string }[] = [];
  while (drawn.length < count) {
    const answer = await fetch(`${address}/api/video/${quadrants[0]}?exclude=${drawn.map(({ id }) => id).join(',')}`);
    drawn.push((await answer.json()) as { id: string; url: string });
  }
  return drawn.map(({ url }) => url);
}
