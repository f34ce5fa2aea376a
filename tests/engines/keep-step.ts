import { quadrants } from '#contract/quadrants.ts';
import { countKept } from '#tests/e2e/kept-in-page.ts';
import type { Product } from '#tests/support/product.ts';
import { play, skip } from './feed-steps.ts';
import { isWorkerThere, sourcesOf } from './in-page.ts';
import { dialog } from './menu-steps.ts';
import type { Screen } from './screen.ts';

/**
 * Keeps the four videos that play, and plays them after a start without the server. Before, a page is left that still
 * has a video to report: in WebKit its transactions could be in the way.
 */
export async function keepAndPlayWithoutServer(screen: Screen, product: Product): Promise<string> {
  await skip(screen);
  await screen.open();
  await play(screen);
  // A video that ends might give way to one that is kept already.
  await screen.control('top-left', 'More');
  await screen.click('Pause all', { within: dialog });
  for (const quadrant of quadrants) {
    await screen.control(quadrant, 'More');
    await screen.click('Keep offline', { within: dialog });
    await screen.untilHas('Cancel', dialog);
    await screen.click('Keep offline', { within: dialog });
    await screen.untilGone('Cancel', dialog);
  }
  await screen.until(
    'four videos on the device',
    async () => (await screen.page.evaluate(countKept, 'chosen')) === quadrants.length,
  );
  await screen.until('a worker', () => screen.page.evaluate(isWorkerThere, null));
  await product.stop();
  try {
    await screen.open();
    await play(screen);
    const sources = await screen.page.evaluate(sourcesOf, null);
    if (!sources.every((source) => source.startsWith('blob:'))) throw new Error(`they play ${sources.join(', ')}`);
    await screen.control('top-left', 'Seek', 0.5);
    await screen.untilAllAdvance();
  } finally {
    await product.start();
  }
  return 'from the device';
}
