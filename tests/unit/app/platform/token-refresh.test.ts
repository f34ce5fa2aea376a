import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accessToken, dropTokens, keepTokens, refreshToken } from '#app/platform/token-keeper.ts';
import { refreshTokens, sessionEnded } from '#app/platform/token-refresh.ts';
import { tokens } from '../state/people.ts';
import { fakeStorage } from './fake-storage.ts';

let answer: (response: Response) => void;
let ends: number;
let stop = () => {};

beforeEach(() => {
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)));
  ends = 0;
  stop = sessionEnded.listen(() => {
    ends += 1;
  });
  keepTokens(tokens(1));
});

afterEach(() => {
  stop();
  dropTokens();
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
  expect(await refreshWhile(dropTokens, fresh())).toBe(false);
  expect(refreshToken()).toBeNull();
});

test('whoever signs in meanwhile stays signed in, whatever became of the old tokens', async () => {
  expect(await refreshWhile(() => keepTokens(tokens(7)), refused())).toBe(true);
  expect([accessToken(), refreshToken(), ends]).toEqual(['access-7', 'refresh-7', 0]);
});
