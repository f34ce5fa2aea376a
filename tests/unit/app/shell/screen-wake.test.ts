import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { playerFacts } from '#app/playback/player/player.ts';
import { watchPlaying } from '#app/shell/shell.tsx';

const { keepScreenOn } = vi.hoisted(() => ({ keepScreenOn: vi.fn() }));

vi.mock('#app/platform/wake-lock.ts', () => ({ keepScreenOn }));

let stop: () => void;

const set = async (facts: { hasFrame: boolean; isPaused: boolean }) => {
  Object.assign(playerFacts['bottom-left'], facts);
  await Promise.resolve();
};

beforeEach(() => {
  stop = watchPlaying();
});

afterEach(async () => {
  stop();
  await set({ hasFrame: false, isPaused: true });
  keepScreenOn.mockReset();
});

test('the screen stays on while one of the four plays, and goes its own way when none does', async () => {
  expect(keepScreenOn).toHaveBeenLastCalledWith('playing', false);
  await set({ hasFrame: true, isPaused: false });
  expect(keepScreenOn).toHaveBeenLastCalledWith('playing', true);
  await set({ hasFrame: true, isPaused: true });
  expect(keepScreenOn).toHaveBeenLastCalledWith('playing', false);
});

test('stills keep no screen on', async () => {
  await set({ hasFrame: true, isPaused: true });
  expect(keepScreenOn).not.toHaveBeenCalledWith('playing', true);
});

test('without the feed nothing keeps the screen on', async () => {
  await set({ hasFrame: true, isPaused: false });
  stop();
  expect(keepScreenOn).toHaveBeenLastCalledWith('playing', false);
});
