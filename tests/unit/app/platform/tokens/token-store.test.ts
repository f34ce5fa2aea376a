import { afterEach, describe, expect, test, vi } from 'vitest';
import { accessToken, clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { fakeStorage } from '../fake-storage.ts';

const tokens = { access_token: 'access-1', refresh_token: 'refresh-1' };

const throwing = (): never => {
  throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
};

afterEach(() => {
  clearTokens();
  vi.unstubAllGlobals();
});

test('tokens are kept until they are dropped', () => {
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  storeTokens(tokens);
  expect([accessToken(), refreshToken()]).toEqual(['access-1', 'refresh-1']);
  clearTokens();
  expect([accessToken(), refreshToken()]).toEqual([null, null]);
});

test.each(['', ' ', 'two words', 'line\nbreak', '{"a": 1}', 'größer', 'x'.repeat(9000)])(
  'garbage in storage is no token: %j',
  (garbage) => {
    const localStorage = fakeStorage();
    localStorage.setItem('fourfold.access-token', garbage);
    vi.stubGlobal('window', { localStorage });
    expect(accessToken()).toBeNull();
  },
);

describe('where storage fails, tokens live as long as the page', () => {
  test.each([
    ['is full', { localStorage: { ...fakeStorage(), setItem: throwing } }],
    ['throws at everything', { localStorage: { getItem: throwing, setItem: throwing, removeItem: throwing } }],
    [
      'may not even be looked at',
      {
        get localStorage(): never {
          return throwing();
        },
      },
    ],
  ])('%s', (_, window) => {
    vi.stubGlobal('window', window);
    storeTokens(tokens);
    expect([accessToken(), refreshToken()]).toEqual(['access-1', 'refresh-1']);
    clearTokens();
    expect(accessToken()).toBeNull();
  });
});
