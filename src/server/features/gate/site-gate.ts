import { createHash } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { SigningKeys } from '../../http/signing-keys.ts';
import { isSame } from '../../http/signing-keys.ts';

/** The one password that everybody shares who may see the site at all. */
export interface SiteGate {
  /** False: there is no password, and everything is open. */
  readonly isClosed: boolean;
  /** In a time that does not depend on how much of it is right. */
  isPassword(given: string): boolean;
  /** What a browser shows from now on, for `gateCookieDays`. */
  issue(): Promise<string>;
  /** False also for what was issued under another password. */
  isEntered(shown: string | undefined): Promise<boolean>;
}

const version = 'v1';
const lifeMs = limits.gateCookieDays * 86_400_000;

export function createSiteGate(password: string | undefined, keys: SigningKeys, clock: Clock): SiteGate {
  const digest = hashOf(password ?? '');
  const textOf = (issuedAt: string) => [version, issuedAt, digest.toString('hex')].join(' ');
  return {
    isClosed: password !== undefined,
    isPassword: (given) => isSame(hashOf(given), digest),
    async issue() {
      const issuedAt = clock.now().toString(36);
      return `${version}.${issuedAt}.${await keys.sign('gate-cookie', textOf(issuedAt))}`;
    },
    async isEntered(shown) {
      const [, issuedAt = '', signature = ''] = /^v1\.([0-9a-z]{1,11})\.(\d+\.[\w-]+)$/.exec(shown ?? '') ?? [];
      // The future is where a clock that was set back finds what it has issued itself: the signature vouches for it.
      const age = Math.abs(clock.now() - Number.parseInt(issuedAt, 36));
      if (!(age < lifeMs)) return false;
      return keys.isSigned('gate-cookie', textOf(issuedAt), signature);
    },
  };
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text.normalize('NFKC')).digest();
}
