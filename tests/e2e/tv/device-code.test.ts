import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { registerAt, send } from '../accounts.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

test.use({ viewport: { width: 960, height: 540 } });

test('at 960×540 a code that is wrong or was used is refused in words, and so are more than five tries', async ({
  page,
  club,
}) => {
  const { access_token: token } = await registerAt(club, 'ida');
  const { user_code: used } = await send<{ user_code: string }>(club, 'POST', '/auth/device', null);
  await send(club, 'POST', '/auth/device/approve', token, { user_code: used });
  const dialog = new SignIn(page);
  await dialog.enterAs(club, 'ida');
  await page.goto(`${club.address}/?form=tv&device=${used}`);
  const field = dialog.box.getByLabel('Code on the TV');
  const problem = dialog.box.getByText('No TV shows this code. It may have run out');

  await expect(field).toHaveValue(used);
  await dialog.submit('Continue');
  await expect(problem).toBeVisible();
  await expect(field).toBeFocused();
  await expect(dialog.box.getByRole('button', { name: 'Continue' })).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  for (const wrong of ['BBBB-BBBB', 'CCCC-CCCC', 'DDDD-DDDD', 'FFFF-FFFF']) {
    await field.fill(wrong);
    await expect(problem).toBeHidden();
    await page.keyboard.press('Enter');
    await expect(problem).toBeVisible();
  }
  await field.fill('GGGG-GGGG');
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByText('Too many tries. Please wait a little.')).toBeVisible();
  await expect(field).toBeInViewport({ ratio: 1 });
});
