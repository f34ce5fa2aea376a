import { afterEach, expect, test } from 'vitest';
import { OfflineBanner, OfflinePill } from '#app/shell/notices.tsx';
import { connection, offlineNotice } from '#app/state/connection.ts';
import { reelChoice } from '#app/state/link-choice.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { limits } from '#contract/limits.ts';
import { draw, settle } from '../../draw.tsx';

const show = (face: typeof offlineNotice.face) =>
  settle(() => {
    offlineNotice.face = face;
  });

afterEach(() =>
  settle(() => {
    offlineNotice.face = 'hidden';
    connection.isReachable = true;
    savedNotice.playable = null;
    reelChoice.megabytes = limits.recentReelMegabytes;
  }),
);

test('the pill says that one is offline, then keeps its icon with the words for screen readers', async () => {
  const screen = await draw(<OfflinePill />);
  const words = () => screen.querySelector('span');
  expect(words()).toBeNull();
  reelChoice.megabytes = 0;
  await show('sentence');
  expect(words()?.textContent).toBe('You are offline');
  expect(words()?.className).not.toContain('visually-hidden');
  await show('tile');
  expect(words()?.textContent).toBe('You are offline');
  expect(words()?.className).toContain('visually-hidden');
  await show('hidden');
  expect(words()).toBeNull();
});

test.each<[string, number, number, string]>([
  ['several videos', 4, 0, 'You are offline. Playing 4 saved videos'],
  ['one video', 1, 200, 'You are offline. Playing 1 saved video'],
  ['none yet', 0, 200, 'You are offline. Videos you watch while online are kept here.'],
  ['none, and the reel is off', 0, 0, 'You are offline'],
])('the pill says what this device plays: %s', async (_, playable, reelMegabytes, sentence) => {
  savedNotice.playable = playable;
  reelChoice.megabytes = reelMegabytes;
  const screen = await draw(<OfflinePill />);
  await show('sentence');
  expect(screen.querySelector('span')?.textContent).toBe(sentence);
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
