import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ErrorBoundary } from '#app/shell/frame.tsx';
import { button, draw, press } from '../draw.tsx';

function Broken(): never {
  throw new Error('Loading chunk failed');
}

// React reports what a boundary caught.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));

afterEach(() => vi.restoreAllMocks());

test('what throws while drawing leads to a page with a way on', async () => {
  const onReload = vi.fn();
  const screen = await draw(
    <ErrorBoundary onReload={onReload}>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.querySelector('[role="alert"]')?.textContent).toContain('Fourfold has stopped');
  await vi.waitFor(() => expect(screen.querySelector('[aria-label="Fourfold"]')).not.toBeNull());
  expect(screen.querySelector('[role="alert"]')?.textContent).toContain('Fourfold has stopped');
  expect(document.activeElement).toBe(button('Reload'));
  await press('Reload');
  expect(onReload).toHaveBeenCalledTimes(1);
});

test('nothing is drawn over what works', async () => {
  const screen = await draw(<ErrorBoundary onReload={() => {}}>Four videos</ErrorBoundary>);
  expect(screen.textContent).toBe('Four videos');
});
