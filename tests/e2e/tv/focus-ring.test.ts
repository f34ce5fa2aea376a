import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { expectRing, leastContrast, measureRing } from '../focus-ring.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

/** The two whose own colours are the darkest, each with another one. */
const corners = [
  ['top-left', 'top-right'],
  ['bottom-right', 'bottom-left'],
] as const;

/** A video's frame in one colour; `null` leaves the videos, which move. */
async function paintVideos(page: Page, colour: string | null): Promise<void> {
  await page.evaluate((colour) => {
    const sheet = new CSSStyleSheet();
    const moved = 'object-fit: none !important; object-position: -9999px 0 !important';
    if (colour !== null) sheet.replaceSync(`section video, section img { ${moved}; background: ${colour} !important }`);
    document.adoptedStyleSheets = [sheet];
  }, colour);
}

/** How bright the picture of a quadrant is, between its controls: 0 for black, 255 for white. */
async function brightnessOf(page: Page, quadrant: Locator): Promise<number> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await quadrant.boundingBox()) ?? {};
  const clip = { x: x + width / 2, y: y + height / 4, width: 8, height: 8 };
  const { channels } = await sharp(await page.screenshot({ clip })).stats();
  return Math.round(channels[0]?.mean ?? 0);
}

test('over videos the ring of a quadrant and of its controls has a contrast of 3 to 1, on black, white and moving pictures, and the other quadrants are dimmed', async ({
  page,
  feed,
}) => {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  for (const colour of ['#000000', '#ffffff', '#585858', '#808080', null]) {
    await paintVideos(page, colour);
    for (const [quadrant, other] of corners) {
      await feed.quadrant(quadrant).focus();
      await expectRing(page, `${quadrant} over ${colour}`, feed.quadrant(quadrant));
      if (colour === '#ffffff') {
        await feed.quadrant(quadrant).focus();
        await poll(() => brightnessOf(page, feed.quadrant(quadrant))).toBe(255);
        // 42 % of black.
        await poll(() => brightnessOf(page, feed.quadrant(other))).toBe(148);
      }
      for (const name of ['Pin', 'Seek']) {
        // Without the focus the controls have faded.
        await feed.quadrant(other).focus();
        await feed.enterControls(quadrant);
        const control = feed.control(quadrant, name);
        await control.focus();
        await expectRing(page, `${name} of ${quadrant} over ${colour}`, control);
      }
    }
  }
});

test('the ring of a card, a button, a field, a row and a choice of a dialog has a contrast of 3 to 1', async ({
  page,
  feed,
}) => {
  await page.goto('/?form=tv&view=channels');
  const newest = page.getByRole('button', { name: 'Show the newest' });
  await feed.walkTo(newest, 'ArrowDown');
  await expectRing(page, 'a button', newest);
  await newest.press('Enter');
  const card = page.getByRole('button', { name: /hue /i }).nth(1);
  await card.focus();
  await expectRing(page, 'a card', card);
  await card.press('Enter');
  const dialog = page.getByRole('dialog');
  // A player closes at the end of its video.
  await dialog.getByRole('button', { name: 'Pause' }).press('Enter');
  for (const name of ['Play', 'Share', 'Close']) {
    const control = dialog.getByLabel(name, { exact: true });
    await control.focus();
    await expectRing(page, `${name} of the player`, control);
  }
  const share = dialog.getByRole('button', { name: 'Share' });
  await share.press('Enter');
  const said = await dialog.getByText(/^(Link copied|The link could not be copied)\.$/).boundingBox();
  const ring = await share.boundingBox();
  const ringPx = 10;
  expect((ring?.x ?? 0) - ringPx - (said?.x ?? 0) - (said?.width ?? 0)).toBeGreaterThanOrEqual(0);
  await dialog.getByRole('button', { name: 'Report' }).press('Enter');
  const reason = page.getByRole('radio', { name: 'Does not play' });
  await expect(reason).toBeFocused();
  expect(await reason.evaluate(inks)).toEqual(await share.evaluate(inks));
  await page.goto('/?form=tv&view=profile');
  for (const name of ['Sign In', 'View Subscription Plans', 'TV', 'Whole picture']) {
    const control = page.getByRole('main').getByRole('button', { name, exact: true });
    await control.focus();
    await expectRing(page, `${name} of Profile`, control);
  }
  await page.getByRole('main').getByRole('button', { name: 'Create Account' }).focus();
  await page.keyboard.press('Enter');
  const field = dialog.getByLabel('Username');
  await field.focus();
  await expectRing(page, 'a field', field);
  const submit = dialog.locator('[type="submit"]');
  await submit.focus();
  await expectRing(page, 'the button of a dialog', submit);
});

test('a ring that is too faint is refused', async ({ page, feed }) => {
  await page.goto('/?form=tv&view=channels');
  const newest = page.getByRole('button', { name: 'Show the newest' });
  await feed.walkTo(newest, 'ArrowDown');
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    const faint = 'outline: 6px solid #505050 !important; box-shadow: none !important; background: none !important';
    sheet.replaceSync(`button:focus { ${faint} }`);
    document.adoptedStyleSheets = [sheet];
  });
  const contrasts = Object.values(await measureRing(page, newest));
  expect(Math.max(...contrasts)).toBeLessThan(leastContrast);
});

/** Runs in the page: the two colours that the row or button under the focus has, and no other one. */
function inks(control: Element): string[] {
  (control as HTMLElement).focus();
  const { backgroundColor, color } = getComputedStyle(control);
  return [backgroundColor, color];
}
