import { expect } from '@playwright/test';
import { test } from './journey.ts';

test.use({ serviceWorkers: 'block' });

test('when the views cannot be had, the loading screen says so and offers to reload', async ({ page, product }) => {
  await page.route('**/assets/draw-app-*.js', (route) => route.abort());
  await page.goto(product.address);
  await expect(page.getByText('Fourfold could not start.')).toBeVisible();
  await page.unroute('**/assets/draw-app-*.js');
  await page.getByRole('link', { name: 'Reload' }).click();
  await expect(page.getByRole('button', { name: 'Tap anywhere to play all videos' })).toBeVisible();
});
