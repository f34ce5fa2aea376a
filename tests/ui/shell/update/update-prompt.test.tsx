import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { BottomBar } from '#app/shell/menu/bottom-bar.tsx';
import { SideMenu } from '#app/shell/menu/side-menu.tsx';
// Loaded here, so that its parts are there within a few turns of the event loop.
import '#app/shell/rare-notices.tsx';
import { UpdatePrompt } from '#app/shell/notices.tsx';
import { appUpdate } from '#app/state/app-update.ts';
import { Modal } from '#app/ui/modal.tsx';
import { button, draw, press, settle } from '../../draw.tsx';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));
vi.mock('#app/platform/worker-link.ts', () => ({ acceptUpdate: vi.fn(), registerWorker: vi.fn() }));

function NewTag() {
  const [isOpen, setOpen] = useState(true);
  return (
    isOpen && (
      <Modal title="New tag" onClose={() => setOpen(false)}>
        <input />
      </Modal>
    )
  );
}

async function makeReady(): Promise<void> {
  await settle(() => {
    appUpdate.isReady = true;
  });
  for (let turn = 0; turn < 20 && document.querySelector('[role="status"]') === null; turn += 1) await settle();
}

afterEach(async () => {
  await settle(() => {
    Object.assign(appUpdate, { isReady: false, isInMenu: false, isDeferred: false });
  });
  vi.clearAllMocks();
  vi.useRealTimers();
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

test('after 15 s the offer steps back into the side menu and the bar of a phone, which accept it', async () => {
  vi.useFakeTimers();
  const screen = await draw(<UpdatePrompt />);
  const menus = await draw([<SideMenu key="side" />, <BottomBar key="bar" />]);
  const entries = () => [...menus.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Update');
  await makeReady();
  await settle(() => vi.advanceTimersByTime(14_999));
  expect(screen.textContent).toContain('A new version of Fourfold is ready.');
  expect(entries()).toEqual([]);
  await settle(() => vi.advanceTimersByTime(1));
  expect(screen.textContent).toBe('');
  expect(entries()).toHaveLength(2);
  for (const entry of entries()) await settle(() => entry.click());
  expect(acceptUpdate).toHaveBeenCalledTimes(2);
});

test('the offer does not go from under the focus', async () => {
  vi.useFakeTimers();
  const screen = await draw(<UpdatePrompt />);
  await makeReady();
  await settle(() => button('Reload').focus());
  await settle(() => vi.advanceTimersByTime(15_000));
  expect(screen.textContent).toContain('A new version of Fourfold is ready.');
  await settle(() => button('Reload').blur());
  await settle(() => vi.advanceTimersByTime(15_000));
  expect(screen.textContent).toBe('');
});

test('while files are uploaded it is not offered, over the view or in the menu; afterwards it is', async () => {
  const defer = (isDeferred: boolean) => settle(() => void Object.assign(appUpdate, { isDeferred }));
  await defer(true);
  const screen = await draw(<UpdatePrompt />);
  await makeReady();
  expect(screen.textContent).toBe('');
  await defer(false);
  await makeReady();
  expect(screen.textContent).toContain('A new version of Fourfold is ready.');
  await press('Not now');
  const menu = await draw(<SideMenu />);
  expect(menu.textContent).toContain('Update');
  await defer(true);
  expect(menu.textContent).not.toContain('Update');
});

test('the X puts it off, into the menu', async () => {
  const screen = await draw(<UpdatePrompt />);
  await makeReady();
  await press('Not now');
  expect(screen.textContent).toBe('');
  expect(appUpdate.isInMenu).toBe(true);
  expect(acceptUpdate).not.toHaveBeenCalled();
});

test('the offer waits while a dialog is open that has something typed in it', async () => {
  const screen = await draw(<UpdatePrompt />);
  await makeReady();
  const dialog = await draw(<NewTag />);
  expect(screen.textContent).toContain('A new version of Fourfold is ready.');
  for (let letter = 0; letter < 2; letter += 1)
    await settle(() => dialog.querySelector('input')?.dispatchEvent(new InputEvent('input', { bubbles: true })));
  expect(screen.textContent).toBe('');
  await press('Close');
  expect(screen.textContent).toContain('A new version of Fourfold is ready.');
});
