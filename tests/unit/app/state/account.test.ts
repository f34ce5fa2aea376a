import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { accessToken, clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import {
  applyUser,
  endLocalSession,
  readSession,
  readSessionIfUnsure,
  signInWith,
  signOut,
} from '#app/state/account.ts';
import { savedFiltersKey } from '#app/state/saved-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { fakeBrowser } from './fake-browser.ts';
import { letIn, nobody, person, profileOf, tokens, tokenUntil } from './people.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');

let browser: FakeBrowser;
let network: FakeNetwork;

beforeEach(() => {
  vi.useFakeTimers({ now: noon });
  browser = fakeBrowser();
  network = fakeNetwork();
});

afterEach(() => {
  clearTokens();
  resetSession();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const asked = () => network.fetch.mock.calls.map(([address]) => address);
const sentToken = (index: number) =>
  (network.fetch.mock.calls[index]?.[1].headers as Record<string, string> | undefined)?.Authorization;
const signedIn = (number = 1) => storeTokens(tokens(number));

describe('at the start', () => {
  test('somebody without tokens is anonymous, and has what basic has', async () => {
    network.answer(nobody);
    expect(session.phase).toBe('loading');
    await readSession();
    expect([session.phase, session.user, session.features]).toEqual(['known', null, featuresByTier.basic]);
    expect(asked()).toEqual(['/users/profile']);
  });

  test('whoever the profile names is signed in', async () => {
    signedIn();
    network.answer(profileOf('pro'));
    await readSession();
    expect([session.phase, session.user?.username, session.features]).toEqual(['known', 'mara', featuresByTier.pro]);
  });

  test('somebody whose effective tier the server does not say has that of the subscription', async () => {
    signedIn();
    const { json } = profileOf('pro');
    const { effective_tier: _, ...user } = json.user;
    network.answer({ json: { ...json, user } });
    await readSession();
    expect(session.user?.effective_tier).toBe('pro');
  });

  test.each([
    ['is missing', () => browser.storage.setItem('fourfold.refresh-token', 'refresh-1')],
    ['has run out', () => storeTokens({ access_token: tokenUntil(noon / 1000), refresh_token: 'refresh-1' })],
  ])('the tokens are renewed before the profile is read when the access token %s', async (_, arrange) => {
    arrange();
    network.answer(letIn(2), profileOf());
    await readSession();
    expect(asked()).toEqual(['/auth/refresh', '/users/profile']);
    expect(sentToken(1)).toBe('Bearer access-2');
    expect(session.user?.username).toBe('mara');
  });

  test('an access token that holds for another second is not renewed', async () => {
    storeTokens({ access_token: tokenUntil(noon / 1000 + 1), refresh_token: 'refresh-1' });
    network.answer(profileOf());
    await readSession();
    expect(asked()).toEqual(['/users/profile']);
  });

  test('the tokens are renewed once when the server does not believe the access token', async () => {
    signedIn();
    network.answer(nobody, letIn(2), profileOf());
    await readSession();
    expect(asked()).toEqual(['/users/profile', '/auth/refresh', '/users/profile']);
    expect(session.user?.username).toBe('mara');
  });

  test('renewed tokens that are not believed either are not renewed again', async () => {
    browser.storage.setItem('fourfold.refresh-token', 'refresh-1');
    network.answer(letIn(2), nobody);
    await readSession();
    expect(asked()).toEqual(['/auth/refresh', '/users/profile']);
    expect(session.user).toBeNull();
  });

  test('without a network the last known person and features hold, while their tokens are kept', async () => {
    signedIn();
    network.answer(profileOf('lifetime'), 'away', 'away');
    await readSession();
    resetSession();
    await readSession();
    expect([session.phase, session.user?.id, session.features]).toEqual(['known', 'user-1', featuresByTier.lifetime]);
    resetSession();
    clearTokens();
    await readSession();
    expect([session.phase, session.user]).toEqual(['failed', null]);
  });

  test.each(['{', '7', '{"user":{"id":1}}', JSON.stringify({ user: person(), features: {} })])(
    'nobody is known from what is not a profile: %s',
    async (kept) => {
      signedIn();
      browser.storage.setItem('fourfold.profile', kept);
      network.answer('away');
      await readSession();
      expect([session.phase, session.user]).toEqual(['failed', null]);
    },
  );

  test('while nobody answers, the last known person holds after 5 s, and is asked for again once the network recovers', async () => {
    signedIn();
    network.answer(profileOf('lifetime'), 'silent', profileOf('pro'));
    await readSession();
    resetSession();
    const reading = readSession();
    await vi.advanceTimersByTimeAsync(4_900);
    expect(session.user).toBeNull();
    await vi.advanceTimersByTimeAsync(100);
    expect([session.phase, session.user?.id, session.features]).toEqual(['loading', 'user-1', featuresByTier.lifetime]);
    await vi.advanceTimersByTimeAsync(10_000);
    await reading;
    expect([session.phase, session.user?.id]).toEqual(['known', 'user-1']);
    await readSessionIfUnsure();
    expect(session.features).toEqual(featuresByTier.pro);
    network.fetch.mockClear();
    await readSessionIfUnsure();
    expect(asked()).toEqual([]);
  });

  test('a server that stumbles leaves the session failed and the tokens kept', async () => {
    signedIn();
    network.answer({ status: 500, json: { error: 'internal' } });
    await readSession();
    expect([session.phase, refreshToken()]).toEqual(['failed', 'refresh-1']);
  });
});

describe('coming in', () => {
  test('keeps the tokens, sets person and features at once, and clears the saved filters', async () => {
    browser.storage.setItem(savedFiltersKey, '{}');
    network.answer(profileOf('pro'));
    const { json } = letIn(1, 'pro');
    signInWith(json);
    expect([accessToken(), refreshToken(), session.user?.effective_tier, session.phase]).toEqual([
      'access-1',
      'refresh-1',
      'pro',
      'known',
    ]);
    expect(browser.storage.getItem(savedFiltersKey)).toBeNull();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentToken(0)).toBe('Bearer access-1');
  });

  test('and going work where storage is closed to the site, for as long as the page lives', async () => {
    Object.defineProperty(window, 'localStorage', { get: throwClosed });
    network.answer(profileOf('pro'), { status: 204 }, nobody);
    signInWith(letIn(1, 'pro').json);
    await vi.advanceTimersByTimeAsync(0);
    expect([refreshToken(), session.user?.effective_tier]).toEqual(['refresh-1', 'pro']);
    await signOut();
    expect([refreshToken(), session.user, session.phase]).toEqual([null, null, 'known']);
  });
});

describe('signing out', () => {
  beforeEach(async () => {
    signedIn();
    network.answer(profileOf('pro'));
    await readSession();
    browser.storage.setItem(savedFiltersKey, '{}');
    network.fetch.mockClear();
  });

  const expectNobody = () => {
    expect([accessToken(), refreshToken(), session.user]).toEqual([null, null, null]);
    expect(browser.storage.getItem(savedFiltersKey)).toBeNull();
    expect(browser.storage.getItem('fourfold.profile')).toBeNull();
  };

  test('ends the session on the server, drops tokens and filters, and reads the profile again', async () => {
    network.answer({ status: 204 }, nobody);
    await signOut();
    expect(asked()).toEqual(['/auth/logout', '/users/profile']);
    expectNobody();
    expect(session.features).toEqual(featuresByTier.basic);
  });

  test.each([
    ['the network is away', 'away' as const],
    ['the server stumbles', { status: 500, json: { error: 'internal' } }],
    ['the session had ended', { status: 401, json: { error: 'unauthorized' } }],
  ])('signs out all the same when %s', async (_, answer) => {
    network.answer(answer, nobody);
    await signOut();
    expectNobody();
  });

  test('renews a token that has run out, so that the server hears of it', async () => {
    network.answer({ status: 401, json: { error: 'token_expired' } }, nobody, letIn(2), { status: 204 });
    await signOut();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked()).toEqual(['/auth/logout', '/users/profile', '/auth/refresh', '/auth/logout']);
    expect(sentToken(3)).toBe('Bearer access-2');
    expectNobody();
  });

  test('waits for no answer of the server', async () => {
    network.fetch.mockImplementationOnce(() => new Promise(() => {}));
    network.answer(nobody);
    const signingOut = signOut();
    expectNobody();
    await signingOut;
    expect(sentToken(0)).toBe('Bearer access-1');
  });

  test('a profile that was asked for before does not bring the person back', async () => {
    let answer = (_: Response) => {};
    network.fetch.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const reading = readSession();
    network.answer(nobody);
    await endLocalSession();
    answer(new Response(JSON.stringify(profileOf('pro').json)));
    await reading;
    expect(session.user).toBeNull();
  });

  test('the late reply to a change does not bring the person back, nor put them in place of the next', async () => {
    network.answer(nobody);
    await endLocalSession();
    const late = person('pro');
    applyUser({ user: late, features: late.features });
    expectNobody();
    network.answer({ json: { ...nobody.json, authenticated: true, user: person('basic', { id: 'user-2' }) } });
    signInWith({ ...letIn(2).json, user: person('basic', { id: 'user-2' }) });
    applyUser({ user: late, features: late.features });
    expect(session.user?.id).toBe('user-2');
  });
});

function throwClosed(): never {
  throw new DOMException('Denied', 'SecurityError');
}
