import { createHash } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { SigningKeys } from '../../http/signing/signing-keys.ts';
import { isSame } from '../../http/signing/signing-keys.ts';

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
  /** Whether what is shown, and was found good, was issued so long ago that another one should take its place. */
  isDue(shown: string | undefined): boolean;
}

const version = 'v1';
const shape = /^v1\.([0-9a-z]{1,11})\.(\d+\.[\w-]+)$/;
const dayMs = 86_400_000;
const lifeMs = limits.gateCookieDays * dayMs;

export function createSiteGate(password: string | undefined, keys: SigningKeys, clock: Clock): SiteGate {
  const digest = hashOf(password ?? '');
  // The future is where a clock that was set back finds what it has issued itself: the signature vouches for it.
  const ageOf = (issuedAt: string) => Math.abs(clock.now() - Number.parseInt(issuedAt, 36));
  const textOf = (issuedAt: string) => [version, issuedAt, digest.toString('hex')].join(' ');
  return {
    isClosed: password !== undefined,
    isPassword: (given) => isSame(hashOf(given), digest),
    async issue() {
      const issuedAt = clock.now().toString(36);
      return `${version}.${issuedAt}.${await keys.sign('gate-cookie', textOf(issuedAt))}`;
    },
    async isEntered(shown) {
      const [, issuedAt = '', signature = ''] = shape.exec(shown ?? '') ?? [];
      if (!(ageOf(issuedAt) < lifeMs)) return false;
      return keys.isSigned('gate-cookie', textOf(issuedAt), signature);
    },
    isDue: (shown) => ageOf(shape.exec(shown ?? '')?.[1] ?? '') > dayMs,
  };
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text.normalize('NFKC')).digest();
}
