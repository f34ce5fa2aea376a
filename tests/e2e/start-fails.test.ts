import { expect } from '@playwright/test';
import { test } from './journey.ts';

test.use({ serviceWorkers: 'block' });

for (const file of ['engine', 'draw-app']) {
  test(`when the file '${file}' cannot be had, the loading screen says so, with no picture over it, and offers to reload`, async ({ page, product }) => {
    await page.route(`**/assets/${file}-*.js`, (route) => route.abort());
    await page.goto(product.address);
    await expect(page.getByText('Fourfold could not start.')).toBeVisible();
    await page.unroute(`**/assets/${file}-*.js`);
    // A press meets what lies on top.
    await page.getByRole('link', { name: 'Reload' }).click();
    await expect(page.getByRole('button', { name: 'Tap anywhere to play all videos' })).toBeVisible();
  });
}
