import { afterEach, expect, test, vi } from 'vitest';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { UpdatePrompt } from '#app/shell/update-prompt.tsx';
import { appUpdate } from '#app/state/app-update.ts';
import { draw, press, settle } from '../draw.tsx';

vi.mock('#app/platform/worker-link.ts', () => ({ acceptUpdate: vi.fn(), linkWorker: vi.fn() }));

const makeReady = () =>
  settle(() => {
    appUpdate.isReady = true;
  });

afterEach(async () => {
  await settle(() => {
    appUpdate.isReady = false;
  });
  vi.clearAllMocks();
});

test('a new version is offered when it is ready, not before', async () => {
  const screen = await draw(<UpdatePrompt />);
  expect(screen.textContent).toBe('');
  await makeReady();
  expect(screen.querySelector('[role="status"]')?.textContent).toContain('A new version of Fourfold is ready.');
  expect(acceptUpdate).not.toHaveBeenCalled();
});

test('Reload accepts it', async () => {
  await draw(<UpdatePrompt />);
  await makeReady();
  await press('Reload');
  expect(acceptUpdate).toHaveBeenCalledTimes(1);
});

test('the X puts it off', async () => {
  const screen = await draw(<UpdatePrompt />);
  await makeReady();
  await press('Not now');
  expect(screen.textContent).toBe('');
  expect(acceptUpdate).not.toHaveBeenCalled();
});
