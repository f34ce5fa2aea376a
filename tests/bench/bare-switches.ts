import type { Page } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import type { Site } from './site.ts';

/**
 * What the bare page does in place of a switch: each of its four elements gives its source back and plays another one.
 */
export async function switchBare(page: Page, site: Site, count: number): Promise<void> {
  for (let done = 0; done < count; done += quadrants.length)
    await page.evaluate(changeSources, await site.drawClips(quadrants.length));
}

/** Runs in the page. As the product does, the next one is asked for when some of this one has come. */
async function changeSources(addresses: string[]): Promise<void> {
  const change = async (video: HTMLVideoElement, address: string) => {
    video.removeAttribute('src');
    video.load();
    video.src = address;
    await video.play();
    await new Promise((tell) => video.addEventListener('timeupdate', tell, { once: true }));
  };
  await Promise.all([...document.querySelectorAll('video')].map((video, at) => change(video, addresses[at] ?? '')));
}
