import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { Refusal } from '../pipeline/errors.ts';
import type { Attempts } from './attempt-repository.ts';
import { deleteAttempts, holdAttempts, readAttempts, writeAttempts } from './attempt-repository.ts';

/** So many tries in a stretch of time. */
interface Window {
  kind: 'window';
  most: number;
  windowMs: number;
}

/** A few tries for free, then a wait that doubles with each further one. */
interface BackOff {
  kind: 'back-off';
  free: number;
  longestMs: number;
  forgottenAfterMs: number;
}

export type Policy = Window | BackOff;

/** A try of one kind at one thing: `{ name: 'sign-in', subject: '192.0.2.7', policy }`. */
export interface Try {
  name: string;
  subject: string;
  policy: Policy;
}

/** Counts tries, for all nodes together. */
export interface RateLimits {
  /**
   * Counts before anything is done, so that many at once gain nothing.
   * @throws Refusal 429 with `Retry-After` when one of them is refused
   */
  consume(...tries: Try[]): Promise<void>;
  /**
   * Refuses as `consume` would, and counts nothing: for who turned out to be right.
   * @throws Refusal 429
   */
  check(...tries: Try[]): Promise<void>;
  /** It went well: the tries before it no longer count. */
  reset(...tries: Omit<Try, 'policy'>[]): Promise<void>;
}

const secondMs = 1_000;

export function createRateLimits(database: Database, clock: Clock): RateLimits {
  /** What is refused for a while needs no question to the database. */
  const refused = new Map<string, number>();

  const countAll = (tries: readonly Try[]): Promise<number> =>
    database.write(async (transaction) => {
      let blockedUntil = 0;
      for (const one of [...tries].sort(byKey)) {
        const key = keyOf(one);
        const attempts = await holdAttempts(transaction, key);
        // Only now that nobody else holds it: to an earlier moment, what others have counted meanwhile would be from
        // the future.
        const next = count(attempts, one.policy, clock.now());
        if (next.isRefused) {
          remember(refused, key, next.blockedUntil);
          blockedUntil = Math.max(blockedUntil, next.blockedUntil);
        } else await writeAttempts(transaction, key, next);
      }
      return blockedUntil;
    });

  /** As a write, so that it comes after what was counted before it: many guesses at once gain nothing. */
  const readAll = (tries: readonly Try[]): Promise<number> =>
    database.write(async (transaction) => {
      let blockedUntil = 0;
      for (const one of tries) {
        const attempts = await readAttempts(transaction, keyOf(one));
        const next = count(attempts, one.policy, clock.now());
        if (next.isRefused) blockedUntil = Math.max(blockedUntil, next.blockedUntil);
      }
      return blockedUntil;
    });

  const knownRefusal = (tries: readonly Try[]): number | null => {
    const known = Math.max(...tries.map((one) => refused.get(keyOf(one)) ?? 0));
    const longest = Math.max(
      ...tries.map(({ policy }) => (policy.kind === 'window' ? policy.windowMs : policy.longestMs)),
    );
    return known > clock.now() && known <= clock.now() + longest ? known : null;
  };

  return {
    async consume(...tries) {
      const blockedUntil = knownRefusal(tries) ?? (await countAll(tries));
      if (blockedUntil > clock.now()) throw tooMany(blockedUntil - clock.now());
    },
    async check(...tries) {
      const blockedUntil = knownRefusal(tries) ?? (await readAll(tries));
      if (blockedUntil > clock.now()) throw tooMany(blockedUntil - clock.now());
    },
    async reset(...tries) {
      for (const one of tries) refused.delete(keyOf(one));
      await database.write((transaction) => deleteAttempts(transaction, tries.map(keyOf)));
    },
  };
}

/** What a counter becomes by one more try. One from the future (the clock was set back) begins anew. */
export function count(attempts: Attempts, policy: Policy, now: number): Attempts & { isRefused: boolean } {
  const stretchMs = policy.kind === 'window' ? policy.windowMs : policy.forgottenAfterMs;
  const isCurrent = attempts.forgottenAt > now && attempts.forgottenAt <= now + stretchMs;
  const before = isCurrent ? attempts : { count: 0, blockedUntil: 0, forgottenAt: now + stretchMs };
  if (before.blockedUntil > now) return { ...before, isRefused: true };
  return policy.kind === 'window' ? countInWindow(before, policy) : countWithBackOff(before, policy, now);
}

function countInWindow(before: Attempts, { most }: Window): Attempts & { isRefused: boolean } {
  if (before.count >= most) return { ...before, blockedUntil: before.forgottenAt, isRefused: true };
  return { ...before, count: before.count + 1, isRefused: false };
}

function countWithBackOff(
  before: Attempts,
  { free, longestMs, forgottenAfterMs }: BackOff,
  now: number,
): Attempts & { isRefused: boolean } {
  const counted = before.count + 1;
  const waitMs = counted < free ? 0 : Math.min(longestMs, secondMs * 2 ** Math.min(30, counted - free));
  return { count: counted, blockedUntil: now + waitMs, forgottenAt: now + forgottenAfterMs, isRefused: false };
}

function tooMany(waitMs: number): Refusal {
  return new Refusal('rate_limited', { headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / secondMs))) } });
}

/** Hashed: what people type into a name field is sometimes their password. */
function keyOf({ name, subject }: Omit<Try, 'policy'>): string {
  return `${name}:${createHash('sha256').update(subject).digest('base64url')}`;
}

/** Always in the same order: two transactions that hold each other's next counter would wait for ever. */
function byKey(a: Try, b: Try): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

const maxRemembered = 10_000;

function remember(refused: Map<string, number>, key: string, until: number): void {
  refused.delete(key);
  refused.set(key, until);
  const oldest = refused.size > maxRemembered ? refused.keys().next().value : undefined;
  if (oldest !== undefined) refused.delete(oldest);
}

/** How much of something goes on at this server. It refuses nobody by itself. */
interface Pressure {
  add(): void;
  /** While more of it has happened in the present window, or in the one before, than is usual. */
  isHigh(): boolean;
}

export function measurePressure(clock: Clock, { most, windowMs }: { most: number; windowMs: number }): Pressure {
  let window = { startedAt: clock.elapsed(), count: 0, before: 0 };
  const present = () => {
    const passed = Math.floor((clock.elapsed() - window.startedAt) / windowMs);
    if (passed > 0)
      window = { startedAt: window.startedAt + passed * windowMs, count: 0, before: passed === 1 ? window.count : 0 };
    return window;
  };
  return {
    add() {
      present().count += 1;
    },
    isHigh() {
      const { count, before } = present();
      return Math.max(count, before) > most;
    },
  };
}
