import { afterEach, expect, test } from 'vitest';
import { OfflineBanner, OfflinePill } from '#app/shell/notices.tsx';
import { offlineNotice } from '#app/shell/offline-notice.ts';
import { connection } from '#app/state/connection.ts';
import { draw, settle } from '../../draw.tsx';

const show = (face: typeof offlineNotice.face) =>
  settle(() => {
    offlineNotice.face = face;
  });

afterEach(() =>
  settle(() => {
    offlineNotice.face = 'hidden';
    connection.isReachable = true;
  }),
);

test('the pill says that one is offline, then keeps its icon with the words for screen readers', async () => {
  const screen = await draw(<OfflinePill />);
  const words = () => screen.querySelector('span');
  expect(words()).toBeNull();
  await show('sentence');
  expect(words()?.textContent).toBe('You are offline');
  expect(words()?.className).not.toContain('visually-hidden');
  await show('tile');
  expect(words()?.textContent).toBe('You are offline');
  expect(words()?.className).toContain('visually-hidden');
  await show('hidden');
  expect(words()).toBeNull();
});

test('the pill is announced: its status region stands before its words come', async () => {
  const screen = await draw(<OfflinePill />);
  expect(screen.querySelector('[role="status"]')).not.toBeNull();
});

test('other views say it under their title', async () => {
  const screen = await draw(<OfflineBanner />);
  expect(screen.textContent).toBe('');
  await settle(() => {
    connection.isReachable = false;
  });
  expect(screen.textContent).toBe('You are offline.');
});
