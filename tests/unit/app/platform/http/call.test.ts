import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { accessRefused, call } from '#app/platform/http/call.ts';
import type { Answer } from '#app/platform/http/fetch-answer.ts';
import { HttpError, NetworkError, reached } from '#app/platform/http/send.ts';
import { accessToken, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { endpoint } from '#contract/endpoint.ts';
import type { FakeNetwork } from '../fake-network.ts';
import { fakeNetwork } from '../fake-network.ts';
import { fakeStorage } from '../fake-storage.ts';

const readThing = endpoint<{
  params: { name: string };
  query: { tags?: string[]; page?: number };
  reply: { id: string };
}>('GET', '/api/things/{name}', 'anyone');
const writeThing = endpoint<{ body: { title: string }; reply: null }>('POST', '/api/things', 'user');
const readPlain = endpoint<{ reply: { ok: boolean } }>('GET', '/api/plain', 'anyone');

const expired = { status: 401, json: { error: 'token_expired', message: 'Sign in again' } };
const fresh = { json: { access_token: 'access-2', refresh_token: 'refresh-2' } };

let network: FakeNetwork;
let refusals: number;
let outcomes: string[];
let stops: Array<() => void>;

beforeEach(() => {
  network = fakeNetwork();
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  refusals = 0;
  outcomes = [];
  stops = [
    accessRefused.listen(() => {
      refusals += 1;
    }),
    reached.listen((outcome) => outcomes.push(outcome)),
  ];
});

afterEach(() => {
  for (const stop of stops) stop();
  vi.unstubAllGlobals();
});

const sentAddress = (index = 0) => network.fetch.mock.calls[index]?.[0];
const sentHeaders = (index = 0) => network.fetch.mock.calls[index]?.[1].headers as Record<string, string>;

describe('what is sent', () => {
  test('a parameter travels as one percent-encoded segment', async () => {
    network.answer({ json: { id: '1' } });
    await call(readThing, { params: { name: 'a/b c%.mp4' } });
    expect(sentAddress()).toBe('/api/things/a%2Fb%20c%25.mp4');
  });

  test('lists are joined by commas and undefined values are left out', async () => {
    network.answer({ json: { id: '1' } });
    await call(readThing, { params: { name: 'x' }, query: { tags: ['a', 'b&c'], page: undefined } });
    expect(sentAddress()).toBe('/api/things/x?tags=a,b%26c');
  });

  test('a body travels as JSON, at our own origin only', async () => {
    network.answer({ status: 204 });
    await call(writeThing, { body: { title: 'One' } });
    expect(network.fetch.mock.calls[0]?.[1]).toMatchObject({
      method: 'POST',
      body: '{"title":"One"}',
      credentials: 'same-origin',
    });
    expect(sentHeaders()['Content-Type']).toBe('application/json');
  });

  test('the access token travels as bearer, and nothing does without one', async () => {
    network.answer({ json: { ok: true } }, { json: { ok: true } });
    await call(readPlain);
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    await call(readPlain);
    expect(sentHeaders(0)).not.toHaveProperty('Authorization');
    expect(sentHeaders(1).Authorization).toBe('Bearer access-1');
  });
});

describe('what comes back', () => {
  test('a reply is its JSON, and 204 is null', async () => {
    network.answer({ json: { ok: true } }, { status: 204 });
    expect(await call(readPlain)).toEqual({ ok: true });
    expect(await call(writeThing, { body: { title: 'One' } })).toBeNull();
    expect(outcomes).toEqual(['answered', 'answered']);
  });

  test.each([
    ['its message', { error: 'conflict', message: 'That name is taken' }, 'That name is taken'],
    ['else its error', { error: 'Invalid password' }, 'Invalid password'],
    ['else the status', {}, 'HTTP error! status: 409'],
    ['else the status', [], 'HTTP error! status: 409'],
    ['else the status', { message: '', error: 7 }, 'HTTP error! status: 409'],
  ])('a failed reply says %s', async (_, json, message) => {
    network.answer({ status: 409, json });
    await expect(call(readPlain)).rejects.toMatchObject({ name: 'HttpError', status: 409, message });
  });

  test("a proxy's error page is a failed reply that tells nothing of our server", async () => {
    network.answer({ status: 502, text: '<h1>Bad gateway</h1>' });
    await expect(call(readPlain)).rejects.toThrow(new HttpError(502, 'HTTP error! status: 502'));
    expect(outcomes).toEqual([]);
  });

  test("an absent network and a captive portal's page both are the network away", async () => {
    network.answer('away', { text: '<!doctype html><title>Sign in to the hotel</title>' });
    await expect(call(readPlain)).rejects.toBeInstanceOf(NetworkError);
    await expect(call(readPlain)).rejects.toBeInstanceOf(NetworkError);
    expect(outcomes).toEqual(['away', 'away']);
  });

  test('an abort passes through and is no word about the network', async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(call(readPlain, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(outcomes).toEqual([]);
  });
});

describe('a 401', () => {
  test('is cured by one refresh', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer(expired, fresh, { json: { ok: true } });
    expect(await call(readPlain)).toEqual({ ok: true });
    expect(network.fetch.mock.calls.map(([address]) => address)).toEqual(['/api/plain', '/auth/refresh', '/api/plain']);
    expect(sentHeaders(2).Authorization).toBe('Bearer access-2');
    expect(refreshToken()).toBe('refresh-2');
    expect(refusals).toBe(0);
  });

  test('is cured by one refresh for all who were refused at once', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer(
      expired,
      expired,
      expired,
      fresh,
      { json: { ok: true } },
      { json: { ok: true } },
      { json: { ok: true } },
    );
    await Promise.all([call(readPlain), call(readPlain), call(readPlain)]);
    expect(network.fetch.mock.calls.filter(([address]) => address === '/auth/refresh')).toHaveLength(1);
  });

  test('is cured by the tokens that another tab has just got', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.fetch.mockImplementationOnce(async () => {
      storeTokens({ access_token: 'access-2', refresh_token: 'refresh-2' });
      return new Response(JSON.stringify(expired.json), { status: 401 });
    });
    network.answer({ json: { ok: true } });
    await call(readPlain);
    expect(network.fetch.mock.calls.map(([address]) => address)).toEqual(['/api/plain', '/api/plain']);
  });

  test('asks for the password page when nothing can be refreshed', async () => {
    network.answer(expired);
    await expect(call(readPlain)).rejects.toMatchObject({ status: 401, message: 'Sign in again' });
    expect(refusals).toBe(1);
  });

  test('asks for the password page when it comes again after the refresh', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer(expired, fresh, expired);
    await expect(call(readPlain)).rejects.toMatchObject({ status: 401 });
    expect(network.fetch).toHaveBeenCalledTimes(3);
    expect(refusals).toBe(1);
  });

  test('drops the tokens when the refresh itself is refused', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer(expired, { status: 401, json: { error: 'token_reused' } });
    await expect(call(readPlain)).rejects.toMatchObject({ code: 'token_expired' });
    expect([accessToken(), refreshToken()]).toEqual([null, null]);
    expect(refusals).toBe(1);
  });

  test.each([
    ['the network is away', 'away' as const, 0],
    ['the server stumbles', { status: 500, json: { error: 'internal' } }, 0],
    ['the gate is closed', { status: 401, json: { error: 'site_password_required' } }, 1],
  ])('keeps the tokens when %s at the refresh', async (_, answer, asked) => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer(expired, answer);
    await expect(call(readPlain)).rejects.toThrow();
    expect(refreshToken()).toBe('refresh-1');
    expect(refusals).toBe(asked);
  });

  test('of a closed gate is never answered by a refresh', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer({ status: 401, json: { error: 'site_password_required' } });
    await expect(call(readPlain)).rejects.toMatchObject({ code: 'site_password_required' });
    expect(network.fetch).toHaveBeenCalledTimes(1);
    expect(refusals).toBe(1);
  });

  test('of a quiet call stays with its caller', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer(expired);
    await expect(call(readPlain, { quiet: true })).rejects.toMatchObject({ status: 401 });
    expect(network.fetch).toHaveBeenCalledTimes(1);
    expect(refusals).toBe(0);
  });
});

describe('an answer that is on its way already', () => {
  const given = (answer: Promise<Answer<{ ok: boolean }> | null>) => ({ early: () => answer });
  const yes = Promise.resolve({ status: 200, ok: true as const, json: { ok: true } });

  test('is awaited in place of the request', async () => {
    expect(await call(readPlain, given(yes))).toEqual({ ok: true });
    expect(network.fetch).not.toHaveBeenCalled();
    expect(outcomes).toEqual(['answered']);
  });

  test('that there is none of after all leaves the call to be sent', async () => {
    network.answer({ json: { ok: false } }, { json: { ok: false } });
    expect(await call(readPlain, given(Promise.resolve(null)))).toEqual({ ok: false });
    expect(await call(readPlain, { early: () => undefined })).toEqual({ ok: false });
  });

  test('fails as the call itself would', async () => {
    await expect(call(readPlain, given(Promise.reject(new TypeError('Failed to fetch'))))).rejects.toBeInstanceOf(
      NetworkError,
    );
    expect(outcomes).toEqual(['away']);
  });

  test('refuses as the call itself would', async () => {
    const refusal = Promise.resolve({
      status: 404,
      ok: false as const,
      json: { error: 'not_found', message: 'There is no such thing' },
    });
    await expect(call(readPlain, given(refusal))).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      message: 'There is no such thing',
    });
  });

  test('is not for somebody who is signed in', async () => {
    storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' });
    network.answer({ json: { ok: false } });
    expect(await call(readPlain, given(yes))).toEqual({ ok: false });
  });
});

describe('a server that accepts and never answers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
  const silent = () => new Promise<Answer<{ ok: boolean }>>(() => {});
  const outcomeOf = (calling: Promise<unknown>) => calling.then(JSON.stringify, (error: Error) => error.name);

  test('is waited for 15 s, or as long as the call says', async () => {
    network.answer('silent', 'silent');
    const told: string[] = [];
    void outcomeOf(call(readPlain)).then((outcome) => told.push(`call: ${outcome}`));
    void outcomeOf(call(readPlain, { limitSeconds: 10 })).then((outcome) => told.push(`pick: ${outcome}`));
    await seconds(9.9);
    expect(told).toEqual([]);
    await seconds(0.1);
    expect(told).toEqual(['pick: NetworkError']);
    await seconds(5);
    expect(told).toEqual(['pick: NetworkError', 'call: NetworkError']);
    expect(outcomes).toEqual(['silent', 'silent']);
  });

  test('is asked again when the network recovers', async () => {
    network.answer('silent', { json: { ok: true } });
    const outcome = outcomeOf(call(readPlain));
    await seconds(3);
    recovered.emit();
    expect(await outcome).toBe('{"ok":true}');
  });

  test('is not sent a write twice', async () => {
    network.answer('silent', { status: 204 });
    const outcome = outcomeOf(call(writeThing, { body: { title: 'One' } }));
    await seconds(3);
    recovered.emit();
    await seconds(12);
    expect([await outcome, network.fetch.mock.calls.length]).toEqual(['NetworkError', 1]);
  });

  test('holds up an answer that is on its way no longer than a call', async () => {
    const outcome = outcomeOf(call(readPlain, { limitSeconds: 10, early: silent }));
    await seconds(10);
    expect([await outcome, outcomes]).toEqual(['NetworkError', ['silent']]);
  });

  test('is asked by the call itself when the network recovers and nothing more is on its way', async () => {
    const answers = [silent()];
    network.answer({ json: { ok: true } });
    const outcome = outcomeOf(call(readPlain, { early: () => answers.pop() }));
    await seconds(3);
    recovered.emit();
    expect(await outcome).toBe('{"ok":true}');
  });

  test('gives back an answer that is on its way when the caller wants it no more', async () => {
    const abort = new AbortController();
    const outcome = outcomeOf(call(readPlain, { signal: abort.signal, early: silent }));
    abort.abort();
    expect(await outcome).toBe('AbortError');
    expect(outcomes).toEqual([]);
  });
});

describe('a server with too much to do', () => {
  const overloaded = {
    status: 503,
    json: { error: 'overloaded', message: 'Too much' },
    retryAfter: 3,
  };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is asked again after the time that it names', async () => {
    network.answer(overloaded, { json: { ok: true } });
    const asked = call(readPlain);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toEqual({ ok: true });
  });

  test('is asked again until it has time, after no more than five seconds each', async () => {
    network.answer(...Array.from({ length: 4 }, () => ({ ...overloaded, retryAfter: 900 })), { json: { ok: true } });
    const asked = call(readPlain);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await asked).toEqual({ ok: true });
    expect(network.fetch).toHaveBeenCalledTimes(5);
  });

  test('is asked again four times', async () => {
    network.answer(...Array.from({ length: 6 }, () => overloaded));
    const asked = call(readPlain).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await asked).toMatchObject({ status: 503, code: 'overloaded' });
    expect(network.fetch).toHaveBeenCalledTimes(5);
  });

  test('is not asked again by who has gone', async () => {
    network.answer(overloaded);
    const gone = new AbortController();
    const asked = call(readPlain, { signal: gone.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    gone.abort();
    expect(await asked).toMatchObject({ name: 'AbortError' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(network.fetch).toHaveBeenCalledTimes(1);
  });
});
