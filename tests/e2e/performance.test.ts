import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

const well = { dropped_frames: 0, total_frames: 50, buffer_level_seconds: 8, stall_events: 0, quality_adjustments: 0 };

/** So many seconds of playback until now, each with these facts. */
function samplesOf(seconds: number, facts: Partial<typeof well>): object[] {
  return Array.from({ length: seconds }, (_, at) => ({
    ...well,
    ...facts,
    timestamp: new Date(Date.now() - at * 1_000).toISOString(),
  }));
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('stalls, dropped frames and low buffers are on an administrator’s dashboard with the next refresh, exactly', async ({
  page,
  openProduct,
}) => {
  const product = await openProduct({ names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] });
  await registerAt(product, 'first');
  await new SignIn(page).enterAs(product, 'first');
  await page.clock.install();
  await page.goto(`${product.address}/?view=performance`);
  await expect(page.getByText('No performance data available')).toHaveCount(4);
  await expect(page.getByText('No score: no playback was measured in the last 5 minutes.')).toBeVisible();
  await expectAccessible(page);

  const report = (quadrant: string, samples: object[]) =>
    send(product, 'POST', `/api/optimization/performance/${quadrant}`, null, { samples });
  await report('bottom-left', samplesOf(4, { dropped_frames: 3, buffer_level_seconds: 1.4, stall_events: 1 }));
  await report('top-left', samplesOf(4, {}));
  await page.clock.fastForward(limits.dashboardRefreshMs);

  const own = card(page, 'Bottom left');
  await expect(own.getByRole('definition')).toHaveText([
    'Out of range: 6%',
    'Out of range: 1.4 s',
    'Out of range: 4',
    '0',
  ]);
  // 100, less 2 for each of 6 per cent, 10 for each second that is missing, 5 for each of 4 stalls.
  await expect(own.getByText('Score: 62 of 100')).toBeVisible();
  await expect(card(page, 'System Health').getByRole('definition').first()).toHaveText('81 of 100');
  await expect(card(page, 'Performance Alerts').getByRole('listitem')).toHaveText([
    /High dropped frame rate6% of frames dropped, above 5%Bottom left/,
    /Low buffer1\.4 s buffered, below 2 sBottom left/,
    /Frequent stalls4 stall events per viewing session, above 3Bottom left/,
  ]);
  await expectAccessible(page);

  await page.getByRole('radio', { name: '5m', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: '15m' })).toBeFocused();
  await expect(page.getByRole('radio', { name: '15m' })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'Quadrant' })).toBeFocused();
  await page.getByRole('combobox', { name: 'Quadrant' }).selectOption('Bottom left');
  await expect(own.getByRole('heading', { name: 'Stall events' })).toBeVisible();
  await expect(card(page, 'Top left')).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

test('whoever is no administrator is refused, and nothing is asked for them', async ({ page, club }) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/performance\/|scope=site/.test(request.url()) && request.method() === 'GET') asked.push(request.url());
  });
  await page.goto(`${club.address}/?view=performance`);
  await expect(page.getByText('Only administrators can open this.')).toBeVisible();
  await expectAccessible(page);
  await registerAt(club, 'basil');
  await new SignIn(page).enterAs(club, 'basil');
  await page.goto(`${club.address}/?view=performance`);
  await expect(page.getByRole('button', { name: 'Back to the feed' })).toBeVisible();
  await expect(page.getByText('Only administrators can open this.')).toBeVisible();
  expect(asked).toEqual([]);
});
