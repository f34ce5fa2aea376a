import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import { RateLimited } from '../http/pipeline/errors.ts';
import type { Attempts } from './attempt-repository.ts';
import { attemptRepository } from './attempt-repository.ts';

/** A limit of attempts within a period of time. */
interface Window {
  kind: 'window';
  most: number;
  windowMs: number;
}

/** A few free attempts, then a waiting time that doubles with each further one. */
interface BackOff {
  kind: 'back-off';
  free: number;
  longestMs: number;
  forgottenAfterMs: number;
}

export type Policy = Window | BackOff;

/** One attempt of a holder: `{ name: 'sign-in', holder: '192.0.2.7', policy }`. */
export interface Attempt {
  name: string;
  /** An address, a network, an account or whatever else the attempts are counted for. */
  holder: string;
  policy: Policy;
}

/** Counts attempts for all nodes together. */
export interface RateLimits {
  /**
   * Counts the attempts before anything else is done, so that parallel attempts gain nothing.
   * @throws RateLimited with `Retry-After` if one of them is refused
   */
  consume(...attempts: Attempt[]): Promise<void>;
  /**
   * Refuses like `consume`, but counts nothing: for correct passwords.
   * @throws RateLimited
   */
  check(...attempts: Attempt[]): Promise<void>;
  /** Clears the counters after a success. */
  reset(...attempts: Omit<Attempt, 'policy'>[]): Promise<void>;
}

const secondMs = 1_000;

export function createRateLimits(database: Database, clock: Clock): RateLimits {
  /** Keys that are refused for a while; they need no query. */
  const refused = new Map<string, number>();

  const countAll = (attempts: readonly Attempt[]): Promise<number> =>
    database.write(async (transaction) => {
      let blockedUntil = 0;
      for (const one of [...attempts].sort(byKey)) {
        const key = keyOf(one);
        const counted = await attemptRepository.hold(transaction, key);
        // The time is read after the lock is held. An earlier time would make attempts that others
        // counted meanwhile seem to come from the future.
        const next = count(counted, one.policy, clock.now());
        if (next.isRefused) {
          remember(refused, key, next.blockedUntil);
          blockedUntil = Math.max(blockedUntil, next.blockedUntil);
        } else await attemptRepository.write(transaction, key, next);
      }
      return blockedUntil;
    });

  /**
   * Reads in a write transaction, which comes after earlier attempts: parallel guesses gain
   * nothing.
   */
  const readAll = (attempts: readonly Attempt[]): Promise<number> =>
    database.write(async (transaction) => {
      let blockedUntil = 0;
      for (const one of attempts) {
        const counted = await attemptRepository.read(transaction, keyOf(one));
        const next = count(counted, one.policy, clock.now());
        if (next.isRefused) blockedUntil = Math.max(blockedUntil, next.blockedUntil);
      }
      return blockedUntil;
    });

  const knownRefusal = (attempts: readonly Attempt[]): number | null => {
    const known = Math.max(...attempts.map((one) => refused.get(keyOf(one)) ?? 0));
    const longest = Math.max(
      ...attempts.map(({ policy }) => (policy.kind === 'window' ? policy.windowMs : policy.longestMs)),
    );
    return known > clock.now() && known <= clock.now() + longest ? known : null;
  };

  return {
    async consume(...attempts) {
      const blockedUntil = knownRefusal(attempts) ?? (await countAll(attempts));
      if (blockedUntil > clock.now()) throw new RateLimited(blockedUntil - clock.now());
    },
    async check(...attempts) {
      const blockedUntil = knownRefusal(attempts) ?? (await readAll(attempts));
      if (blockedUntil > clock.now()) throw new RateLimited(blockedUntil - clock.now());
    },
    async reset(...attempts) {
      for (const one of attempts) refused.delete(keyOf(one));
      await database.write((transaction) => attemptRepository.delete(transaction, attempts.map(keyOf)));
    },
  };
}

/** Counts one more attempt. A counter from the future (the clock was set back) starts again. */
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

/** The holder is hashed, because people sometimes type their password into the name field. */
function keyOf({ name, holder }: Omit<Attempt, 'policy'>): string {
  return `${name}:${createHash('sha256').update(holder).digest('base64url')}`;
}

/** Sorts counters by key: transactions that lock counters in different order would deadlock. */
function byKey(a: Attempt, b: Attempt): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

const maxRemembered = 10_000;

function remember(refused: Map<string, number>, key: string, until: number): void {
  refused.delete(key);
  refused.set(key, until);
  const oldest = refused.size > maxRemembered ? refused.keys().next().value : undefined;
  if (oldest !== undefined) refused.delete(oldest);
}

/** Measures how often something happens on this server. It refuses nothing by itself. */
interface Pressure {
  add(): void;
  /** Whether the current or the previous window has more of it than is usual. */
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
