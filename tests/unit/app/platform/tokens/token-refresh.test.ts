import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { authSessionEnded, refreshTokens } from '#app/platform/http/token-refresh.ts';
import { accessToken, clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { limits } from '#contract/limits.ts';
import { tokens } from '../../state/people.ts';
import { fakeStorage } from '../fake-storage.ts';

let answer: (response: Response) => void;
let ends: number;
let stop = () => {};

beforeEach(() => {
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)));
  ends = 0;
  stop = authSessionEnded.listen(() => {
    ends += 1;
  });
  storeTokens(tokens(1));
});

afterEach(() => {
  stop();
  clearTokens();
  vi.unstubAllGlobals();
});

const fresh = () => new Response(JSON.stringify(tokens(2)));
const refused = () => new Response(JSON.stringify({ error: 'token_reused' }), { status: 401 });

async function refreshWhile(happens: () => void, reply: Response): Promise<boolean> {
  const refreshed = refreshTokens('access-1');
  await vi.waitUntil(() => answer !== undefined);
  happens();
  answer(reply);
  return refreshed;
}

test('the new pair is kept', async () => {
  expect(await refreshWhile(() => {}, fresh())).toBe(true);
  expect([accessToken(), refreshToken(), ends]).toEqual(['access-2', 'refresh-2', 0]);
});

test('a refusal ends the session, and says so', async () => {
  expect(await refreshWhile(() => {}, refused())).toBe(false);
  expect([accessToken(), refreshToken(), ends]).toEqual([null, null, 1]);
});

test('whoever signs out meanwhile stays signed out', async () => {
  expect(await refreshWhile(clearTokens, fresh())).toBe(false);
  expect(refreshToken()).toBeNull();
});

test('whoever signs in meanwhile stays signed in, whatever became of the old tokens', async () => {
  expect(await refreshWhile(() => storeTokens(tokens(7)), refused())).toBe(true);
  expect([accessToken(), refreshToken(), ends]).toEqual(['access-7', 'refresh-7', 0]);
});

describe('on a silent network', () => {
  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
  const outcomeOf = (refreshing: Promise<boolean>) => refreshing.then(String, (error: Error) => error.name);

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('a refresh is tried twice while its token still buys new ones, and then the tokens stay', async () => {
    const asked = vi.fn(() => new Promise<Response>(() => {}));
    vi.stubGlobal('fetch', asked);
    const outcome = outcomeOf(refreshTokens('access-1'));
    await seconds(7.9);
    expect(asked).toHaveBeenCalledTimes(2);
    await seconds(0.1);
    expect(await outcome).toBe('NetworkError');
    expect([refreshToken(), ends]).toEqual(['refresh-1', 0]);
    expect(limits.refreshTimeoutSeconds * 2).toBeLessThan(limits.refreshGraceSeconds);
  });

  test('an answer that was lost is had by the second try', async () => {
    const asked = vi.fn(() => new Promise<Response>(() => {}));
    vi.stubGlobal('fetch', asked);
    const outcome = outcomeOf(refreshTokens('access-1'));
    asked.mockResolvedValueOnce(fresh());
    await seconds(4);
    expect([await outcome, refreshToken()]).toEqual(['true', 'refresh-2']);
  });

  test('a tab that keeps the lock keeps no other tab waiting for more than 15 s', async () => {
    // As the Web Locks specification has it: a request that still waits ends with its signal.
    const request = (_name: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new DOMException('The request was aborted.', 'AbortError'))),
      );
    vi.stubGlobal('navigator', { locks: { request } });
    const outcome = outcomeOf(refreshTokens('access-1'));
    await seconds(15);
    expect([await outcome, refreshToken()]).toEqual(['NetworkError', 'refresh-1']);
  });
});
