import { randomInt } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { normalizeUserCode, userCodeAlphabet, userCodeText } from '#contract/rules/credentials.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid, Refusal } from '../../http/pipeline/errors.ts';
import { isSame } from '../../http/signing.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { Log } from '../../log.ts';
import { insertSecret, readSecrets, takeSecret } from '../../secrets.ts';
import { userRepository } from '../users/user-repository.ts';

/**
 * The code that creating the first account requires, from any address: behind a proxy on the same
 * machine every client looks local. The terminal of every node shows the same code. It is replaced
 * when it expires or was guessed too often.
 */
export interface SetupCode {
  /** The code as it is displayed; null once an account exists. */
  current(): string | null;
  /** Calls `listener` with each later code. */
  onRenewed(listener: (code: string) => void): void;
  /**
   * @throws Invalid that says where to find the code, or that it is wrong. Nothing is thrown once
   * an account exists
   */
  check(given: string | undefined): Promise<void>;
  /** Replaces an expired code. Never throws. */
  refresh(): Promise<void>;
}

interface SetupDeps {
  database: Database;
  clock: Clock;
  log: Log;
  rateLimits: RateLimits;
}

const name = 'setup_code';
const lifeMs = 24 * 3_600_000;
const wrongTriesMost = 20;

export async function openSetupCode({ database, clock, log, rateLimits }: SetupDeps): Promise<SetupCode> {
  let shown: string | null = null;
  let tellRenewed: (code: string) => void = () => {};

  /** @param dead a code that is no longer valid */
  async function renew(dead: string | null = null): Promise<string | null> {
    const code = (await userRepository.isEmpty(database.reader))
      ? await database.write((transaction) => keepCode(transaction, clock.now(), dead))
      : null;
    const isNew = code !== null && shown !== null && code !== shown;
    shown = code;
    if (isNew) tellRenewed(userCodeText(code));
    return code;
  }

  async function countWrong(code: string): Promise<void> {
    try {
      await rateLimits.consume({
        name: 'setup-code',
        holder: code,
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
      tellRenewed = listener;
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

/**
 * The valid code: the stored one, or a new one if that has expired or is dead. Null once an account
 * exists.
 */
async function keepCode(transaction: Executor, now: number, dead: string | null): Promise<string | null> {
  const [known] = await readSecrets(transaction, name);
  // A time in the future was written while the clock was wrong.
  if (known !== undefined && known.value !== dead && Math.abs(now - known.createdAt) < lifeMs) return known.value;
  // The transaction that created the first account also removed the code.
  if (!(await userRepository.isEmpty(transaction))) return null;
  await takeSecret(transaction, name);
  const value = randomCode(limits.deviceCodeCharacters);
  await insertSecret(transaction, { name, value, createdAt: now });
  return value;
}

/**
 * Whether the account about to be created is the first, and so an administrator's. Runs in the
 * transaction that creates it.
 * @throws Invalid without the code that the terminal shows
 */
export async function claimFirstAccount(transaction: Executor, given: string | undefined): Promise<boolean> {
  if (!(await userRepository.isEmpty(transaction))) return false;
  const [known] = await readSecrets(transaction, name);
  // The account that took the code was committed since the first check.
  if (known === undefined && !(await userRepository.isEmpty(transaction))) return false;
  refuseMissing(given);
  if (known === undefined || !isCode(given, known.value)) throw wrongCode();
  // Two concurrent transactions pass here one after the other, and the second sees the account of
  // the first.
  await takeSecret(transaction, name);
  return userRepository.isEmpty(transaction);
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
