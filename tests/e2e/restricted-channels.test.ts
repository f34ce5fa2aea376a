import { expect } from '@playwright/test';
import type { AuthReply } from '#contract/entities/account.ts';
import type { TagReply } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import { password, registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('a viewer who loses the plan loses the picture that it brought, and no longer finds its channel', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct({ names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] });
  const { access_token: admin } = await registerAt(product, 'first');
  const { user } = await registerAt(product, 'viewer');
  const { tag } = await send<TagReply>(product, 'POST', '/api/tags', admin, { name: 'Vault' });
  const { videos } = await send<VideoList>(product, 'GET', '/api/videos/by-tags', admin);
  const [video] = videos;
  const path = `/api/videos/${encodeURIComponent(video?.path ?? '')}/tags`;
  await send(product, 'POST', path, admin, { tag_ids: [tag.id] });
  await send(product, 'PUT', `/api/tags/${tag.id}`, admin, { audience: 'pro' });
  const givePlan = (tier: string) => send(product, 'PUT', `/users/admin/${user.id}/subscription`, admin, { tier });
  await givePlan('pro');

  // Signs in by the browser, whose media elements then carry its cookie.
  const reply = await page.request.post(`${product.address}/auth/login`, { data: { identifier: 'viewer', password } });
  const tokens = (await reply.json()) as AuthReply;
  await page.goto(`${product.address}/robots.txt`);
  await page.evaluate(({ access_token, refresh_token }) => {
    localStorage.setItem('fourfold.access-token', access_token);
    localStorage.setItem('fourfold.refresh-token', refresh_token);
  }, tokens);
  await feed.play(`${product.address}/?view=feed`);
  const shown = async () => Object.values(await feed.look()).map(({ videoId }) => videoId);
  await poll(shown, { message: 'the video of the plan' }).toContain(video?.id);
  // It stays on the screen by itself.
  const quadrant = page.locator(`section[data-video-id="${video?.id}"]`);
  await expect(quadrant).toHaveAttribute('data-phase', 'playing');

  await givePlan('basic');
  await poll(shown, { message: 'the video of the plan is gone' }).not.toContain(video?.id);
  await expect(page.locator(`video[src*="${encodeURIComponent(video?.path ?? '')}"]`)).toHaveCount(0);
  await feed.waitUntilAllAdvance();
  expect(await shown()).not.toContain(video?.id);

  await page.goto(`${product.address}/?view=tag-management`);
  await expect(page.getByRole('heading', { name: 'No Tags Found' })).toBeVisible();
});
