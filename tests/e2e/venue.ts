import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { poll } from './poll.ts';

/** The positions of the visible videos of a venue, in seconds. */
const positionsIn = (page: Page) =>
  page
    .locator('main[data-venue] video[data-layer="front"]')
    .evaluateAll((videos) => videos.map((video) => (video as HTMLVideoElement).currentTime));

export async function waitUntilFourMove(page: Page): Promise<void> {
  let before: number[] = [];
  await poll(
    async () => {
      const positions = await positionsIn(page);
      const moved = positions.filter((position, at) => position !== before[at]);
      const isMoving = before.length === 4 && moved.length === 4;
      before = positions;
      return isMoving;
    },
    { message: 'four moving pictures' },
  ).toBe(true);
}

/** What a key or a touch shows. */
export const venueLine = (page: Page) => page.getByText('Venue mode. Hold OK for 3 s and enter the PIN.');
export const pinPad = (page: Page) => page.getByRole('dialog', { name: 'Enter the PIN' });

/** Leads to the PIN pad. */
export async function holdOk(page: Page): Promise<void> {
  await page.keyboard.down('Enter');
  await expect(pinPad(page)).toBeVisible();
  // A key that is still held repeats.
  await page.keyboard.down('Enter');
  await expect(pinPad(page).getByLabel('0 digits')).toBeVisible();
  await page.keyboard.up('Enter');
}

export interface VenueSetup {
  readonly id?: string;
  readonly name?: string;
  readonly pin?: string;
  /** Minutes of the day. */
  readonly hours?: { readonly opens: number; readonly closes: number };
}

/** Makes this browser a venue, which the page then is. */
export async function openVenue(page: Page, address: string, setup: VenueSetup = {}, more = ''): Promise<void> {
  await page.goto(`${address}/robots.txt`);
  await page.evaluate((setup) => localStorage.setItem('fourfold.venue-setup', JSON.stringify(setup)), {
    id: 'bar',
    name: 'Bar',
    ...setup,
  });
  await page.goto(`${address}/?venue=1${more}`);
}
