import { expect, test } from 'vitest';
import { isAmong } from '#app/state/session.ts';
import { tierBadgeOf } from '#app/ui/badge.tsx';
import { initialOf, nameOf } from '#app/ui/texts.ts';

const person = { username: 'mara', display_name: 'Mara Lindqvist' };

test('somebody without an account is an Anonymous User of the Basic Tier', () => {
  expect([nameOf(null), initialOf(null), tierBadgeOf(null)]).toEqual([
    'Anonymous User',
    'A',
    { tier: 'basic', words: 'Basic Tier' },
  ]);
});

test('an account shows its display name, or its username, and its first letter', () => {
  expect([nameOf(person), initialOf(person)]).toEqual(['Mara Lindqvist', 'M']);
  const unnamed = { ...person, display_name: null };
  expect([nameOf(unnamed), initialOf(unnamed)]).toEqual(['mara', 'M']);
});

test('an initial outside of the basic plane is whole', () => {
  expect(initialOf({ username: '𝒜da', display_name: null })).toBe('𝒜');
});

test.each([
  ['basic', 'Basic (Free)'],
  ['pro', 'Pro'],
  ['lifetime', 'Lifetime'],
  ['admin', 'Admin'],
] as const)('the effective tier %s reads %s', (tier, words) => {
  expect(tierBadgeOf({ effective_tier: tier })).toEqual({ tier, words });
});

const viewers = { nobody: null, member: { effective_tier: 'pro' }, admin: { effective_tier: 'admin' } } as const;

test.each([
  ['everybody', ['nobody', 'member', 'admin']],
  ['signed-in', ['member', 'admin']],
  ['admin', ['admin']],
] as const)('what is for %s is for %j', (audience, expected) => {
  const among = Object.entries(viewers).filter(([, user]) => isAmong(user, audience));
  expect(among.map(([name]) => name)).toEqual(expected);
});
