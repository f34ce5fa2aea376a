import { expect } from '@playwright/test';
import { registerAt } from '../accounts.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';
import { expectForThumbs, leastTargetPx, listThumbFaults } from '../thumbs.ts';

const views = ['channels', 'upload', 'admin', 'tag-management', 'video-tagging', 'performance', 'profile'];

for (const largeText of [false, true]) {
  test(`each view fits thumbs and the screen${largeText ? ', also with text of twice the size' : ''}`, async ({
    page,
    club,
  }) => {
    await new SignIn(page).enterAs(club, 'first');
    for (const view of views) {
      await page.goto(`${club.address}/?view=${view}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
      await expectForThumbs(page, view, largeText);
    }
  });
}

test('each section of Administration fits thumbs and the screen, also with text of twice the size', async ({
  page,
  club,
}) => {
  const [name, here] = [`tessa-${Date.now().toString(36)}`, page.getByRole('main')];
  await registerAt(club, name);
  await new SignIn(page).enterAs(club, 'first');
  await page.goto(`${club.address}/?view=admin`);
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await here.getByRole('button', { name }).tap();
  await expect(page.getByRole('heading', { name, level: 2 })).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'a person', isLarge);
  for (const label of (await sections.getByRole('button').allInnerTexts()).slice(1)) {
    await sections.getByRole('button', { name: label }).tap();
    await expect(sections.getByRole('button', { name: label })).toHaveAttribute('aria-current', 'page');
    await expect(here.locator('[aria-busy="true"]')).toHaveCount(0);
    for (const isLarge of [false, true]) await expectForThumbs(page, label, isLarge);
  }
});

test('the feed and its menus fit thumbs and the screen, also with large text', async ({ page, feed }) => {
  await feed.play();
  await feed.quadrant('top-left').tap({ position: { x: 60, y: 60 } });
  await expect(feed.control('top-left', 'Pin')).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'the dock', isLarge);
  await feed.quadrant('top-left').click({ button: 'right', position: { x: 60, y: 60 } });
  const menu = page.getByRole('dialog', { name: 'Top left' });
  await expect(menu).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'the menu of a quadrant', isLarge);
  for (const name of [/^Speed/, 'Subtitles']) {
    await menu.getByRole('button', { name }).tap();
    const list = page.getByRole('dialog', { name: `${name instanceof RegExp ? 'Speed' : name}, top left` });
    await expect(list).toBeVisible();
    for (const isLarge of [false, true]) await expectForThumbs(page, `${name}`, isLarge);
    await page.keyboard.press('Escape');
    await expect(menu).toBeVisible();
  }
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await feed
    .quadrant('top-left')
    .getByRole('button', { name: /^Filter/ })
    .click();
  await expect(page.getByRole('dialog', { name: 'Filter Content' })).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'the filter', isLarge);
});

test.describe('on a tablet', () => {
  test.use({ viewport: { width: 1024, height: 768 } });

  test('nothing covers a button of a quadrant', async ({ page, feed }) => {
    await feed.play();
    for (const size of [
      { width: 1024, height: 768 },
      { width: 768, height: 1024 },
    ]) {
      await page.setViewportSize(size);
      for (const name of ['top-left', 'bottom-left'] as const) {
        await feed.tapControl(name, 'Unmute');
        await expect(page.getByRole('button', { name: 'Menu', exact: true })).toBeVisible();
        expect(await page.evaluate(listThumbFaults, leastTargetPx), `${name} at ${size.width}`).toEqual([]);
        await feed.tapControl(name, 'Mute');
      }
    }

    // In a narrow window the filter is a sheet.
    await feed.tapControl('bottom-left', 'Filter');
    const filter = page.getByRole('dialog', { name: 'Filter Content' });
    await expect(filter).toBeVisible();
    const { x, width } = (await filter.boundingBox()) ?? {};
    expect({ x, width }).toEqual({ x: 0, width: 768 });
  });
});

test('a target that is too small, and one beyond the screen, are found', async ({ page }) => {
  await page.goto('/?view=profile');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.evaluate(() => {
    const planted = document.createElement('button');
    planted.textContent = 'Planted';
    planted.style.cssText = 'position:absolute;top:0;left:380px;width:40px;height:40px';
    document.body.append(planted);
  });
  const faults = await page.evaluate(listThumbFaults, leastTargetPx);
  expect(faults.filter((fault) => fault.endsWith('Planted'))).toEqual([
    'a target of 40×40: Planted',
    'beyond the screen: Planted',
  ]);
});

test('in a dialog a button below the window, one that is cut off, and a broken word are found', async ({ page }) => {
  await page.goto('/?view=profile');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.evaluate(() => {
    const dialog = document.createElement('div');
    dialog.setAttribute('aria-modal', 'true');
    dialog.style.cssText = 'position:fixed;top:0;left:0;width:300px;height:2000px';
    const add = (words: string, style: string, within: Element) => {
      const added = within.appendChild(document.createElement('button'));
      added.textContent = words;
      added.style.cssText = `position:absolute;left:0;width:60px;height:60px;${style}`;
    };
    const addBox = (className: string, style: string) => {
      const box = dialog.appendChild(document.createElement('div'));
      box.className = className;
      box.style.cssText = `position:absolute;left:0;width:300px;height:100px;${style}`;
      return box;
    };
    add('Below', 'top:1900px', dialog);
    add('Cut', 'top:150px', addBox('hides', 'top:0;overflow:hidden'));
    add('Cut', 'left:400px', addBox('down', 'top:100px;overflow-x:hidden;overflow-y:auto'));
    add('Scrolls', 'top:150px', addBox('scrolls', 'top:200px;overflow-x:hidden;overflow-y:auto'));
    add('Administration', 'top:400px;word-break:break-all', dialog);
    document.body.append(dialog);
  });
  expect(await page.evaluate(listThumbFaults, leastTargetPx)).toEqual([
    'below or above the window: Below',
    'cut off by hides: Cut',
    'cut off by down: Cut',
    'a broken word: Administration',
  ]);
});
