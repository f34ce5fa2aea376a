import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from '../accessible.ts';
import { send, signInAt } from '../accounts.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';
import { SignIn } from '../sign-in.ts';

test('with a remote someone hears one quadrant alone and then none, saves data, reports a video, hides it, and makes a channel while typing', async ({
  page,
  feed,
  desk,
}) => {
  const press = (key: string) => page.keyboard.press(key);
  const heard = async () => {
    const sounds = await Promise.all(quadrants.map((quadrant) => feed.sound(quadrant)));
    return quadrants.filter((_, at) => sounds[at]?.muted === false);
  };
  const menu = page.getByRole('dialog', { name: 'Top left', exact: true });
  const openMenu = async () => {
    const more = feed.control('top-left', 'More');
    // The focus comes back from a menu to its button.
    if ((await feed.quadrant('top-left').getAttribute('data-entered')) !== 'true') {
      await feed.enterControls('top-left');
      await feed.walkTo(more, 'ArrowRight');
    }
    await expect(more).toBeFocused();
    await press('Enter');
  };
  const choose = async (name: string) => {
    await openMenu();
    await feed.walkTo(menu.getByRole('button', { name, exact: true }), 'ArrowDown');
    await press('Enter');
    await expect(menu).toBeHidden();
  };
  await new SignIn(page).enterAs(desk, 'first');

  await page.goto(`${desk.address}/?form=tv&view=profile`);
  const quality = page.getByRole('group', { name: 'Quality', exact: true });
  await expect(page.locator('main :focus')).toHaveCount(1);
  await feed.walkTo(quality.getByRole('button'), 'ArrowDown');
  await feed.walkTo(quality.getByRole('button', { name: 'Automatic' }), 'ArrowLeft');
  await feed.walkTo(quality.getByRole('button', { name: 'Save data' }), 'ArrowRight');
  await press('Enter');
  await expect(quality.getByRole('button', { name: 'Save data' })).toHaveAttribute('aria-pressed', 'true');

  await feed.open(`${desk.address}/?form=tv`);
  await feed.waitForStills();
  await press('Enter');
  await feed.waitUntilAllAdvance();
  // The colour key of a quadrant that is held; Playwright knows none.
  await page.evaluate(() =>
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ColorF1Green', bubbles: true, repeat: true })),
  );
  await poll(heard).toEqual(['top-right']);
  await choose('Hear only this');
  await poll(heard).toEqual(['top-left']);
  await openMenu();
  await expect(menu.getByRole('button', { name: 'Mute all' })).toBeVisible();
  await expect(menu.getByRole('button', { name: /^Speed/ })).toHaveCount(0);
  await expectAccessible(page);
  await press('Escape');
  await choose('Mute all');
  await poll(heard).toEqual([]);

  await choose('Report');
  const report = page.getByRole('dialog', { name: 'Report' });
  await feed.walkTo(report.getByRole('radio', { name: 'Wrong channel' }), 'ArrowDown');
  await press('Enter');
  await feed.walkTo(
    report.getByRole('button', { name: 'Cancel' }).or(report.getByRole('button', { name: 'Send' })),
    'ArrowDown',
  );
  await feed.walkTo(report.getByRole('button', { name: 'Send' }), 'ArrowRight');
  await expectAccessible(page);
  await press('Enter');
  const thanks = page.getByRole('alertdialog', { name: 'Report' });
  await expect(thanks.getByRole('button', { name: 'Done' })).toBeFocused();
  await press('Enter');
  await expect(thanks).toBeHidden();

  const { videoId } = (await feed.look())['top-left'];
  await choose('Hide video');
  const question = page.getByRole('alertdialog', { name: 'Hide Video' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await feed.walkTo(question.getByRole('button', { name: 'Hide video' }), 'ArrowRight');
  await expectAccessible(page);
  await press('Enter');
  await expect(page.locator(`section[data-video-id="${videoId}"]`)).toHaveCount(0);

  await page.goto(`${desk.address}/?form=tv&view=video-tagging`);
  const cards = page.getByRole('button', { name: /hue /i });
  await expect(cards).toHaveCount(3);
  await feed.walkTo(cards, 'ArrowDown');
  await press('Enter');
  await expect(page.getByText('Tagging Video', { exact: true })).toBeVisible();
  await feed.walkTo(page.getByRole('complementary').locator('button, input'), 'ArrowRight');
  await feed.walkTo(page.getByRole('textbox', { name: 'Search tags' }), 'ArrowDown');
  await page.keyboard.type('Lighthouses');
  await feed.walkTo(page.getByRole('button', { name: 'Create "Lighthouses"' }), 'ArrowDown');
  await press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Lighthouses' })).toBeChecked();
  await feed.walkTo(page.getByRole('button', { name: 'Assign 1 Tag' }), 'ArrowDown');
  await press('Enter');
  await expect(cards.filter({ hasText: 'Lighthouses' })).toHaveCount(1);

  // Others find the library as it was.
  const { access_token } = await signInAt(desk, 'first');
  await send(desk, 'DELETE', `/api/admin/videos/${videoId}/hidden`, access_token);
});
