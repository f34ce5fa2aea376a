import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signInChannel } from '#app/platform/http/token-store.ts';
import { openProviderWindow } from '#app/state/providers.ts';
import { tokens } from '../../state/people.ts';

const success = { type: 'OAUTH_SUCCESS', user: {}, tokens: tokens() };
const failure = { type: 'OAUTH_ERROR', error: 'access_denied' };

let popup: { closed: boolean; close: ReturnType<typeof vi.fn> };
let open: ReturnType<typeof vi.fn>;
let events: EventTarget;
const onMessage = vi.fn();
const onClosed = vi.fn();
let stop: (() => void) | null;

beforeEach(() => {
  vi.useFakeTimers();
  popup = { closed: false, close: vi.fn() };
  open = vi.fn(() => popup);
  events = new EventTarget();
  vi.stubGlobal(
    'window',
    Object.assign(events, { open, screenX: 100, screenY: 50, outerWidth: 1400, outerHeight: 900, BroadcastChannel }),
  );
  vi.stubGlobal('location', { origin: 'http://localhost' });
  stop = openProviderWindow('/auth/oauth/google/login', { onMessage, onClosed });
});

afterEach(() => {
  stop?.();
  onMessage.mockReset();
  onClosed.mockReset();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const post = (data: unknown, { origin = 'http://localhost', source = popup as unknown } = {}) =>
  events.dispatchEvent(Object.assign(new Event('message'), { data, origin, source }));

test('the window is 600 by 700, in the middle of the app', () => {
  expect(open).toHaveBeenCalledWith(
    '/auth/oauth/google/login',
    'fourfold-sign-in',
    'popup,width=600,height=700,left=500,top=150',
  );
});

test('a message of that window and our own origin ends it', () => {
  post(success);
  expect(onMessage).toHaveBeenCalledWith({ type: 'OAUTH_SUCCESS', tokens: tokens() });
  expect(popup.close).toHaveBeenCalled();
  post(failure);
  expect(onMessage).toHaveBeenCalledTimes(1);
});

test.each([
  ['of another origin', success, { origin: 'http://evil.example' }],
  ['of another window', success, { source: {} }],
  ['of a frame without a window', success, { source: null }],
  ['without tokens', { type: 'OAUTH_SUCCESS', tokens: { access_token: 7 } }, {}],
  ['of another kind', { type: 'RESIZE' }, {}],
  ['that is text', 'OAUTH_SUCCESS', {}],
])('a message %s is passed over', (_, data, from) => {
  post(data, from);
  expect(onMessage).not.toHaveBeenCalled();
});

test('a window that was cut off speaks on the channel', async () => {
  vi.useRealTimers();
  const channel = new BroadcastChannel(signInChannel);
  channel.postMessage(failure);
  await vi.waitFor(() => expect(onMessage).toHaveBeenCalledWith(failure));
  channel.close();
});

test('once a second it is looked whether the window was closed, and what then still comes is heard', () => {
  popup.closed = true;
  vi.advanceTimersByTime(999);
  expect(onClosed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onClosed).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5_000);
  expect(onClosed).toHaveBeenCalledTimes(1);
  post(success);
  expect(onMessage).toHaveBeenCalledTimes(1);
});

test('nothing is heard any more once it was stopped', () => {
  stop?.();
  post(success);
  popup.closed = true;
  vi.advanceTimersByTime(2_000);
  expect([onMessage.mock.calls.length, onClosed.mock.calls.length]).toEqual([0, 0]);
});

test('a window that was blocked is none', () => {
  open.mockReturnValue(null);
  expect(openProviderWindow('/x', { onMessage, onClosed })).toBeNull();
});
