import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Shell } from '#app/shell/shell.tsx';
import { navigation, openView, resetNavigation } from '#app/state/navigation.ts';
import { draw, press, settle } from '../draw.tsx';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => <main>Four videos</main> }));

beforeEach(resetNavigation);
afterEach(() => settle(resetNavigation));

/** Waits for a screen that is loaded when it is opened. */
const arrive = () => act(() => vi.dynamicImportSettled());

test('the feed is the first view', async () => {
  const screen = await draw(<Shell />);
  expect(screen.textContent).toContain('Four videos');
  expect(document.title).toBe('Fourfold');
});

test('a view that comes later opens and leads back to the feed', async () => {
  const screen = await draw(<Shell />);
  await settle(() => openView('performance'));
  await arrive();
  expect(screen.querySelector('h1')?.textContent).toBe('Performance Dashboard');
  expect(document.title).toBe('Performance Dashboard – Fourfold');
  await press('Back to the feed');
  expect(navigation.view).toBe('feed');
  expect(screen.textContent).toContain('Four videos');
});
