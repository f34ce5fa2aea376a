import { deliveries } from '#tests/e2e/delivered.ts';
import type { Product } from '#tests/support/product.ts';
import type { DeliveredSite } from './delivery-steps.ts';
import { playDelivered } from './delivery-steps.ts';
import { changeVolume, expand, mute, pin, play, seek, seePictures, skip } from './feed-steps.ts';
import { keepAndPlayWithoutServer } from './keep-step.ts';
import { reachDialogs, reachQuadrants, reachViews } from './key-steps.ts';
import { goBack, openEveryView, playWatched, useQuadrantMenu, useSideMenu } from './menu-steps.ts';
import type { Screen } from './screen.ts';

export interface Step {
  readonly name: string;
  /**
   * Starts on the playing feed and comes back to it. Throws for what does not happen. What it gives back is written
   * beside the result.
   * @param delivered sites whose videos come from elsewhere, by what delivers; null where there is no Swift
   */
  run(
    screen: Screen,
    product: Product,
    delivered: ReadonlyMap<string, DeliveredSite> | null,
  ): Promise<string | undefined>;
}

/** What every engine has to do, in this order: by mouse, and by arrow keys in the engines of TVs. */
export const steps: readonly Step[] = [
  { name: 'four pictures before the first tap', run: seePictures },
  { name: 'one tap plays all four', run: play },
  { name: 'skip and skip back', run: skip },
  { name: 'seek', run: seek },
  { name: 'pin', run: pin },
  { name: 'mute', run: mute },
  { name: 'volume', run: changeVolume },
  { name: 'expand', run: expand },
  { name: 'the side menu', run: useSideMenu },
  { name: 'what was watched is listed and plays', run: playWatched },
  { name: 'sign in and open every view', run: openEveryView },
  { name: 'Back closes one layer at a time', run: goBack },
  { name: 'by arrow keys alone the quadrants', run: byKeys(reachQuadrants) },
  { name: 'by arrow keys alone every view', run: byKeys(reachViews) },
  { name: 'by arrow keys alone every dialog', run: byKeys(reachDialogs) },
  { name: 'four kept videos play without the server', run: keepAndPlayWithoutServer },
  // After all that needs the sign-in: it does not outlast other sites of the same host.
  ...Object.keys(deliveries).map((name) => ({ name: `videos from ${name}`, run: playFrom(name) })),
  // Last: after a right click WebKitWebDriver holds the right button down for good.
  { name: "a quadrant's menu", run: useQuadrantMenu },
];

/** Opens the feed anew and plays it. */
export async function startFeed(screen: Screen): Promise<void> {
  await screen.open();
  await seePictures(screen);
  await play(screen);
}

function playFrom(name: string): Step['run'] {
  return async (screen, _product, delivered) => {
    const site = delivered?.get(name);
    if (site === undefined) return 'no Swift';
    await playDelivered(screen, site);
    await startFeed(screen);
    return;
  };
}

/** For the engines of TVs; the others reach everything by mouse. */
function byKeys(reach: (screen: Screen, product: Product) => Promise<string>): Step['run'] {
  return async (screen, product) => {
    if (!screen.page.press) return 'by mouse alone';
    const note = await reach(screen, product);
    await startFeed(screen);
    return note;
  };
}
