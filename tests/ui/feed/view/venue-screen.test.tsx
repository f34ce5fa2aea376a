import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { VenueLock } from '#app/features/feed/venue/venue-lock.tsx';
import VenueScreen from '#app/features/feed/venue/venue-screen.tsx';
import { venue } from '#app/state/settings.ts';
import { changeSetup } from '#app/state/venue-setup.ts';
import { button, draw, settle } from '../../draw.tsx';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
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

/** A key of a keyboard or a remote, which presses the button that has the focus. */
async function type(...keys: string[]): Promise<void> {
  for (const key of keys) {
    await settle(() => {
      const target = document.activeElement ?? document.body;
      const isFree = target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      if (isFree && key === 'Enter' && target instanceof HTMLButtonElement) target.click();
      window.dispatchEvent(new KeyboardEvent('keyup', { key }));
    });
  }
}

test('digits of a keyboard or a remote make up the PIN wherever the focus is, and OK submits them', async () => {
  changeSetup({ pin: '1234' });
  Object.assign(venue, { isOn: true, isUnlocked: false });
  const screen = await draw(<VenueLock />);
  await settle(() => void window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })));
  await settle(() => vi.advanceTimersByTime(3_000));
  await type('Control');
  const entered = () => screen.querySelector('[aria-label$=" digits"]')?.getAttribute('aria-label');

  button('Close').focus();
  await type('4', '3');
  expect(entered()).toBe('2 digits');
  await type('2', '1', 'Enter');
  expect(screen.textContent).toContain('Wrong PIN.');

  (document.activeElement as HTMLElement | null)?.blur();
  await type('1', '2', '3', '5', 'Backspace', '4');
  expect(entered()).toBe('4 digits');
  await type('Enter');
  expect(venue.isUnlocked).toBe(true);
});
