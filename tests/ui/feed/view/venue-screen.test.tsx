import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import VenueScreen from '#app/features/feed/venue/venue-screen.tsx';
import { draw, settle } from '../../draw.tsx';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.stubGlobal('fetch', async () => new Response('{}'));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
});

test('a venue that cannot be drawn stays black, and its page is loaded anew within a minute', async () => {
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  // The players are not open.
  const screen = await draw(<VenueScreen />);
  expect(screen.textContent).toBe('');
  expect(reload).not.toHaveBeenCalled();
  await settle(() => vi.advanceTimersByTime(60_000));
  expect(reload).toHaveBeenCalledTimes(1);
  await settle(() => vi.advanceTimersByTime(600_000));
  expect(reload).toHaveBeenCalledTimes(1);
});
