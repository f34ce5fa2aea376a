import { expect, test } from 'vitest';
import { MetricsAccess } from '#server/features/site/metrics-route.ts';
import { Refusal } from '#server/http/pipeline/errors.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const token = 'h4rd-to-guess.by~all+means/=';
const right = `Bearer ${token}`;

function refusalOf(work: () => void): [string, Record<string, string>] | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, error.headers];
  }
}

test('the token lets in, however its scheme is written', () => {
  const access = new MetricsAccess(token, settableClock());
  for (const header of [right, `bearer ${token}`, `BEARER ${token}`])
    expect([header, refusalOf(() => access.admit(header, '192.0.2.1'))]).toEqual([header, null]);
});

test.each([
  [undefined, 'Bearer realm="metrics"'],
  ['', 'Bearer realm="metrics"'],
  [token, 'Bearer realm="metrics"'],
  [`Basic ${token}`, 'Bearer realm="metrics"'],
  ['Bearer', 'Bearer realm="metrics"'],
  [`Bearer ${token} ${token}`, 'Bearer realm="metrics"'],
  [`Bearer ${token.slice(1)}`, 'Bearer realm="metrics", error="invalid_token"'],
  [`Bearer ${token}x`, 'Bearer realm="metrics", error="invalid_token"'],
  [`Bearer ${token.toUpperCase()}`, 'Bearer realm="metrics", error="invalid_token"'],
])('%j is asked for the token', (header, challenge) => {
  const access = new MetricsAccess(token, settableClock());
  expect(refusalOf(() => access.admit(header, '192.0.2.1'))).toEqual([
    'unauthorized',
    { 'www-authenticate': challenge },
  ]);
});

test('who guesses has to wait, also with the right token, and nobody else does', () => {
  const clock = settableClock();
  const access = new MetricsAccess(token, clock);
  const admit = (header: string, client = '192.0.2.1') => refusalOf(() => access.admit(header, client));
  for (let guess = 0; guess < 20; guess += 1) expect(admit(`Bearer guess-${guess}`)?.[0]).toBe('unauthorized');
  const tooMany = ['rate_limited', { 'retry-after': '3' }];
  expect([admit('Bearer one-more'), admit(right)]).toEqual([tooMany, tooMany]);
  expect(admit(right, '192.0.2.2')).toBeNull();
  clock.pass(3_000);
  expect(admit(right)).toBeNull();
});

test('reading often is no guessing', () => {
  const access = new MetricsAccess(token, settableClock());
  for (let read = 0; read < 1_000; read += 1) expect(refusalOf(() => access.admit(right, '192.0.2.1'))).toBeNull();
});
