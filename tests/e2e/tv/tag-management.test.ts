import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';
import { makeTags } from '../tagged-library.ts';

test('by arrow keys alone a tag is deleted, and another one assigned to a video', async ({ page, feed, desk }) => {
  await makeTags(desk, 'Aurora', 'Cities');
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?form=tv&view=tag-management`);
  await expect(page.getByRole('rowheader')).toHaveText(['Aurora', 'Cities']);
  await expect(page.locator('main :focus')).toHaveCount(1);
  await feed.walkTo(page.getByRole('button', { name: 'More for Aurora' }), 'ArrowDown');
  await feed.walkTo(page.getByRole('button', { name: 'Delete Aurora' }), 'ArrowLeft');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await feed.walkTo(question.getByRole('button', { name: 'Delete', exact: true }), 'ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('rowheader')).toHaveText(['Cities']);

  await page.goto(`${desk.address}/?form=tv&view=video-tagging`);
  const cards = page.getByRole('button', { name: /hue /i });
  await expect(cards).toHaveCount(4);
  await feed.walkTo(cards, 'ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Tagging Video', { exact: true })).toBeVisible();
  await feed.walkTo(page.getByRole('complementary').locator('button, input'), 'ArrowRight');
  await feed.walkTo(page.getByRole('checkbox', { name: 'Cities' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await feed.walkTo(page.getByRole('button', { name: 'Assign 1 Tag' }), 'ArrowDown');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page.getByText('3 videos need tags')).toBeVisible();
  await expect(cards.filter({ hasText: 'Cities' })).toHaveCount(1);
});
