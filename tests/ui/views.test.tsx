import { Suspense } from 'react';
import { expect, test, vi } from 'vitest';
import { lazyScreen } from '#app/views.ts';
import { button, draw } from './draw.tsx';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));

const drawScreen = (Screen: ReturnType<typeof lazyScreen>) =>
  draw(
    <Suspense fallback="Loading...">
      <Screen title="Profile" notice={null} onBack={() => {}} />
    </Suspense>,
  );

test('a screen comes when its file does', async () => {
  const screen = await drawScreen(
    lazyScreen(async () => ({ title }) => <h1>{title}</h1>),
  );
  await vi.waitFor(() => expect(screen.textContent).toBe('Profile'));
});

test('a view whose file cannot be had says so and offers to reload', async () => {
  const screen = await drawScreen(lazyScreen(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))));
  await vi.waitFor(() => expect(screen.textContent).toContain('This view could not be loaded.'));
  expect(screen.querySelector('h1')?.textContent).toBe('Profile');
  expect(document.activeElement).toBe(button('Reload'));
});
