import type { Argon2Parameters } from 'node:crypto';
import { argon2, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { failures } from '#contract/failures.ts';
import { checkOwnNames } from '#contract/rules/credentials.ts';
import { nameKey } from '#contract/rules/text.ts';
import { Invalid } from '../../http/pipeline/errors.ts';
import { isSame } from '../../http/signing.ts';
import { WorkQueue } from '../../limits/work-queue.ts';

/** The cost of one hash for an attacker. */
interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

export interface PasswordHasher {
  /**
   * @returns PHC text
   * @throws Unavailable when too many are waiting
   */
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches. A null hash gives false after the same time.
   * @throws Unavailable
   */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether the hash was made with less than the current cost. */
  isOutdated(hash: string): boolean;
}

/** Twice the minimum memory that OWASP recommends. */
export const usualCost: PasswordCost = { memoryKiB: 38_912, passes: 2 };

const saltBytes = 16;
const tagBytes = 32;
const atOnce = 2;
const maxWaiting = 32;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/**
 * Argon2id (RFC 9106) on the platform's threads, two at once, so that sign-ins leave processors and
 * memory to the videos.
 */
export function createPasswordHasher(cost: PasswordCost = usualCost): PasswordHasher {
  const queue = new WorkQueue({ atOnce, maxWaiting, refusal: 'Too many people are signing in at this moment.' });
  const run = (password: string, salt: Buffer, { memoryKiB, passes }: PasswordCost) =>
    // Normalized, because keyboards encode the same characters differently.
    queue.run(() =>
      derive('argon2id', {
        message: password.normalize('NFKC'),
        nonce: salt,
        parallelism: 1,
        tagLength: tagBytes,
        memory: memoryKiB,
        passes,
      }),
    );
  const prefix = prefixOf(cost);

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return `${prefix}$${toPhc(salt)}$${toPhc(await run(password, salt, cost))}`;
    },
    async verify(password, hash) {
      const kept = hash === null ? null : readHash(hash);
      const tag = await run(password, kept?.salt ?? Buffer.alloc(saltBytes), kept?.cost ?? cost);
      return kept !== null && isSame(tag, kept.tag);
    },
    isOutdated: (hash) => !hash.startsWith(`${prefix}$`),
  };
}

function prefixOf({ memoryKiB, passes }: PasswordCost): string {
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1`;
}

const phcShape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/;

function readHash(hash: string): { cost: PasswordCost; salt: Buffer; tag: Buffer } | null {
  const [, memory, passes, salt = '', tag = ''] = phcShape.exec(hash) ?? [];
  if (memory === undefined) return null;
  return {
    cost: { memoryKiB: Number(memory), passes: Number(passes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** PHC uses base64 without padding. */
function toPhc(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

const commonPasswordsFile = new URL('common-passwords.txt', import.meta.url);
let commonPasswords: Promise<string> | null = null;

/**
 * Refuses a password that attackers try first.
 * @param field the request field that contains it
 * @throws Invalid
 */
export async function refuseGuessable(
  password: string,
  names: { username: string; email: string },
  field: string,
): Promise<void> {
  const sentence =
    checkOwnNames(password, names) ?? ((await isCommonPassword(password)) ? failures.commonPassword : null);
  if (sentence !== null) throw new Invalid([{ field, message: sentence }]);
}

/** Searches one text of 90 KiB. A set of its lines would take ten times the memory. */
async function isCommonPassword(password: string): Promise<boolean> {
  commonPasswords ??= readFile(commonPasswordsFile, 'latin1').catch((error: unknown) => {
    commonPasswords = null;
    throw error;
  });
  return `\n${await commonPasswords}`.includes(`\n${nameKey(password)}\n`);
}
