import { nameKey } from '#contract/rules/text.ts';
import type { Policy, Try } from '../../../http/protection/rate-limits.ts';
import type { Visitor } from '../auth-deps.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Behind the machine's own address stands everybody when a proxy is not told of: more of them have to get in. */
const localFactor = 20;

/** Whoever guesses from one address. */
export function addressTry(
  name: string,
  { address, isLocal }: Pick<Visitor, 'address' | 'isLocal'>,
  most: number,
  windowMs = 10 * minuteMs,
): Try {
  return { name, subject: address, policy: { kind: 'window', most: isLocal ? most * localFactor : most, windowMs } };
}

const guessing: Policy = { kind: 'back-off', free: 5, longestMs: 15 * minuteMs, forgottenAfterMs: 24 * hourMs };

/**
 * Whoever guesses one account's password from everywhere, whether by its name or by its address. Where there is no
 * account what was typed counts, in the same way.
 * @param userId null: there is no such account
 */
export function accountTry(userId: string | null, identifier: string): Try {
  return {
    name: 'sign-in-account',
    subject: userId === null ? `typed ${nameKey(identifier)}` : `account ${userId}`,
    policy: guessing,
  };
}

/** A browser that its owner has used before has tries of its own, so that strangers cannot use them up. */
export function deviceTry(userId: string, viewer: string): Try {
  return { name: 'sign-in-device', subject: `${userId} ${viewer}`, policy: guessing };
}

/** Somebody who is signed in and says a password. */
export function passwordTry(userId: string): Try {
  return { name: 'password', subject: userId, policy: guessing };
}

export const signInsPerAddress = 60;
export const registrationsPerAddress = 5;
export const registrationWindowMs = hourMs;
/** How often it can be asked by a change of the own address whether somebody else has one. */
export const takenPerAddress = 10;
export const takenWindowMs = hourMs;
