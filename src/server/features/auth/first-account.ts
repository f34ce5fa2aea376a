import { randomInt } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { normalizeUserCode, userCodeAlphabet, userCodeText } from '#contract/rules/credentials.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid, Refusal } from '../../http/pipeline/errors.ts';
import type { RateLimits } from '../../http/protection/rate-limits.ts';
import { isSame } from '../../http/signing.ts';
import type { Log } from '../../log.ts';
import { insertSecret, readSecrets, takeSecret } from '../../secrets.ts';
import { isWithoutUsers } from '../users/user-repository.ts';

/**
 * The code that the first account is made with, wherever it is made: behind a proxy on the same machine every stranger
 * looks local. Every node's terminal shows the same one. One that has run out, or was guessed at too often, is followed
 * by another.
 */
export interface SetupCode {
  /** As it is read out; null once there is an account. */
  current(): string | null;
  /** Calls with each later code. */
  onRenewed(hear: (code: string) => void): void;
  /** @throws Invalid that says where to find it, or that it is another one; nothing once there is an account */
  check(given: string | undefined): Promise<void>;
  /** Replaces one that has run out. Never throws. */
  refresh(): Promise<void>;
}

interface SetupDeps {
  database: Database;
  clock: Clock;
  log: Log;
  attempts: RateLimits;
}

const name = 'setup_code';
const lifeMs = 24 * 3_600_000;
const wrongTriesMost = 20;

export async function openSetupCode({ database, clock, log, attempts }: SetupDeps): Promise<SetupCode> {
  let shown: string | null = null;
  let hear: (code: string) => void = () => {};

  /** @param dead one that no longer counts */
  async function renew(dead: string | null = null): Promise<string | null> {
    const code = (await isWithoutUsers(database.reader))
      ? await database.write((transaction) => keepCode(transaction, clock.now(), dead))
      : null;
    const isNew = code !== null && shown !== null && code !== shown;
    shown = code;
    if (isNew) hear(userCodeText(code));
    return code;
  }

  async function countWrong(code: string): Promise<void> {
    try {
      await attempts.consume({
        name: 'setup-code',
        subject: code,
        policy: { kind: 'window', most: wrongTriesMost, windowMs: lifeMs },
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await renew(code);
    }
  }

  await renew();
  return {
    current: () => (shown === null ? null : userCodeText(shown)),
    onRenewed(listener) {
      hear = listener;
    },
    async check(given) {
      const code = await renew();
      if (code === null) return;
      refuseMissing(given);
      if (isCode(given, code)) return;
      await countWrong(code);
      throw wrongCode();
    },
    async refresh() {
      if (shown === null) return;
      await renew().catch((error: unknown) =>
        log.warn({ err: error }, 'the set-up code could not be looked after; it is tried again later'),
      );
    },
  };
}

/** The code that counts: the one there is, or another where it has run out or is dead; null once there is an account. */
async function keepCode(transaction: Executor, now: number, dead: string | null): Promise<string | null> {
  const [known] = await readSecrets(transaction, name);
  // One from the future was made while the clock was wrong.
  if (known !== undefined && known.value !== dead && Math.abs(now - known.createdAt) < lifeMs) return known.value;
  // Whoever has just made the first account took the code along.
  if (!(await isWithoutUsers(transaction))) return null;
  await takeSecret(transaction, name);
  const value = randomCode(limits.deviceCodeCharacters);
  await insertSecret(transaction, { name, value, createdAt: now });
  return value;
}

/**
 * Whether the account that is about to be made is the first, and so an administrator's. Part of the transaction that
 * makes it.
 * @throws Invalid for somebody who has not the code that the terminal shows
 */
export async function claimFirstAccount(transaction: Executor, given: string | undefined): Promise<boolean> {
  if (!(await isWithoutUsers(transaction))) return false;
  const [known] = await readSecrets(transaction, name);
  // The account that took the code along was committed since the question before.
  if (known === undefined && !(await isWithoutUsers(transaction))) return false;
  refuseMissing(given);
  if (known === undefined || !isCode(given, known.value)) throw wrongCode();
  // Two at once come through here one after the other, and the second sees what the first has made.
  await takeSecret(transaction, name);
  return isWithoutUsers(transaction);
}

function isCode(given: string | undefined, code: string): boolean {
  return isSame(Buffer.from(normalizeUserCode(given ?? '')), Buffer.from(code));
}

function refuseMissing(given: string | undefined): void {
  if (normalizeUserCode(given ?? '') === '')
    throw problem('The first account is made with the set-up code that the terminal of the server shows');
}

function wrongCode(): Invalid {
  return problem('This is not the set-up code that the terminal shows');
}

function problem(message: string): Invalid {
  return new Invalid([{ field: 'setup_code', message }]);
}

export function randomCode(length: number): string {
  return Array.from({ length }, () => userCodeAlphabet[randomInt(userCodeAlphabet.length)]).join('');
}
