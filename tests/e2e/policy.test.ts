import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

const views = ['channels', 'upload', 'admin', 'tag-management', 'video-tagging', 'performance', 'profile'];

declare global {
  interface Window {
    /** What the page did against its own policy. */
    violations: string[];
  }
}

test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      window.violations.push(`${violatedDirective}: ${blockedURI} ${sample}`),
    );
  }),
);

test('no view has an accessibility fault, with its menu open, or does anything that the content security policy forbids', async ({
  page,
}) => {
  // A mouse that rests at the edge would open the menu by itself. One that leaves the menu closes it, which goes back in
  // the history and may end the navigation that follows: so the menu is opened by a key.
  await page.mouse.move(700, 400);
  for (const view of views) {
    await page.goto(`/?view=${view}`);
    await expect(page.locator('main h1')).toBeVisible();
    await page.getByRole('button', { name: 'Menu', exact: true }).press('Enter');
    await expect(page.getByRole('navigation', { name: 'Menu', exact: true })).toBeVisible();
    expect(await page.evaluate(() => window.violations), view).toEqual([]);
    await expectAccessible(page);
  }
});

test("the feed, its menu and the worker's registration do nothing that the content security policy forbids; text that would become a script or a worker is refused and heard of", async ({
  page,
  feed,
}) => {
  await feed.play();
  await page.mouse.move(5, 300);
  await expect(page.getByRole('navigation', { name: 'Menu', exact: true })).toBeVisible();
  await feed.quadrant('top-left').hover();
  await feed.waitForWorker();
  expect(await page.evaluate(() => window.violations)).toEqual([]);

  expect((await page.evaluate(tryScripts)).slice(1)).toEqual(['refused', 'refused', 'refused']);
  await poll(() => page.evaluate(() => window.violations.length)).toBeGreaterThanOrEqual(3);
});

/** Runs in the page, as something would that was brought in as text. */
function tryScripts(): Promise<string[]> {
  const tries = [
    // An older Chromium sets a handler without an error, and never runs it.
    () => document.createElement('div').setAttribute('onclick', 'alert(1)'),
    () => {
      document.createElement('script').src = '/other.js';
    },
    () => {
      document.body.innerHTML = '<b>bold</b>';
    },
    () => navigator.serviceWorker.register('/other.js'),
  ];
  return Promise.all(
    tries.map(async (attempt) => {
      try {
        await attempt();
        return 'done';
      } catch {
        return 'refused';
      }
    }),
  );
}

test('the charts of the dashboard are drawn within the content security policy, and drawn again in another width', async ({
  page,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  const samples = quadrants.map((quadrant) => ({ quadrant, timestamp: new Date().toISOString(), ...playedSecond }));
  await page.request.post(`${club.address}/api/optimization/performance/all`, { data: { samples } });
  await page.goto(`${club.address}/?view=performance`);
  const pictures = page.locator('main svg[preserveAspectRatio="none"]');
  await expect(pictures.nth(quadrants.length - 1)).toBeAttached();
  await poll(() => pictures.evaluateAll(findLines)).not.toContain(false);
  await page.setViewportSize({ width: 1000, height: 900 });
  await poll(() => pictures.evaluateAll(findOverflow)).not.toContain(true);
  await expect(page.locator('main table caption')).toHaveCount(await pictures.count());
  expect(await page.evaluate(() => window.violations)).toEqual([]);
  await expectAccessible(page);
});

/** One second of one player. */
const playedSecond = {
  dropped_frames: 1,
  total_frames: 60,
  buffer_level_seconds: 5,
  stall_events: 0,
  quality_adjustments: 0,
};

/** Whether each has a line that is painted. */
function findLines(pictures: (HTMLElement | SVGElement)[]): boolean[] {
  return pictures.map((picture) =>
    [...picture.querySelectorAll('path')].some(
      (path) => path.getTotalLength() > 0 && getComputedStyle(path).stroke !== 'none',
    ),
  );
}

/** Whether each reaches beyond the chart around it. */
function findOverflow(pictures: (HTMLElement | SVGElement)[]): boolean[] {
  return pictures.map((picture) => {
    const chart = picture.closest('div[aria-hidden]');
    return chart === null || picture.getBoundingClientRect().right > chart.getBoundingClientRect().right + 1;
  });
}

test('the page has no style, no handler and no exception in it; what a browser that is too old reads stands in a file of its own', async ({
  page,
}) => {
  const answer = await page.request.get('/');
  expect(answer.headers()['content-security-policy']).not.toContain('unsafe');
  const html = await answer.text();
  expect(html).not.toMatch(/<style|\sstyle="|\son\w+="/);
  expect(html).toContain('src="/too-old.js"');
});
