import type { ReactNode } from 'react';
import { act, Suspense } from 'react';
import { expect, test, vi } from 'vitest';
import { recovered } from '#app/platform/link.ts';
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
  const screen = await drawScreen(
    lazyScreen(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))),
  );
  await vi.waitFor(() => expect(screen.textContent).toContain('This view could not be loaded.'));
  expect(screen.querySelector('h1')?.textContent).toBe('Profile');
  expect(document.activeElement).toBe(button('Reload'));
});

test('a view whose file cannot be had comes when the network recovers', async () => {
  const load = vi.fn(async () => ({ title }: { title: string }) => <h2>{title}</h2>);
  load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'));
  const screen = await drawScreen(lazyScreen(load));
  await vi.waitFor(() => expect(screen.textContent).toContain('This view could not be loaded.'));
  await act(async () => recovered.emit());
  expect(screen.querySelector('h2')?.textContent).toBe('Profile');
});

test('a view that was left before the network recovered comes when it is opened again', async () => {
  const load = vi.fn(async () => ({ title }: { title: string }) => <h2>{title}</h2>);
  load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'));
  const Screen = lazyScreen(load);
  const first = await drawScreen(Screen);
  await vi.waitFor(() => expect(first.textContent).toContain('This view could not be loaded.'));
  expect(load).toHaveBeenCalledTimes(1);
  const second = await drawScreen(Screen);
  await vi.waitFor(() => expect(second.querySelector('h2')?.textContent).toBe('Profile'));
});

test('a view whose file is waited for too long says so, and still comes with its file', async () => {
  vi.useFakeTimers();
  let arrive = (_screen: (props: { title: string }) => ReactNode) => {};
  const screen = await drawScreen(lazyScreen(() => new Promise((resolve) => (arrive = resolve))));
  await act(() => vi.advanceTimersByTimeAsync(14_900));
  expect(screen.textContent).toBe('Loading...');
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(screen.textContent).toContain('This view could not be loaded.');
  await act(async () => arrive(({ title }) => <h2>{title}</h2>));
  expect(screen.querySelector('h2')?.textContent).toBe('Profile');
  vi.useRealTimers();
});
