import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestAccess } from '#contract/entities/error-reply.ts';
import { limits } from '#contract/limits.ts';
import { isBelowCallFolder } from '#contract/server-paths.ts';
import type { Clock } from '../../clock.ts';
import { ownCookie } from '../../http/pipeline/cookies.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { plainPath } from '../../http/pipeline/request-parsing.ts';
import type { SigningKeys } from '../../http/signing.ts';
import { isSame } from '../../http/signing.ts';

/** The site password, which all visitors share. */
export interface SiteGate {
  /** False: there is no password at the moment, and everything is open. */
  readonly isClosed: boolean;
  /** Compares in a time that does not depend on how much of the password is right. */
  isPassword(given: string): boolean;
  /** The cookie value that admits a browser for `gateCookieDays`. */
  issue(): Promise<string>;
  /** Whether a cookie value admits a browser. Values issued under another password do not. */
  isEntered(shown: string | undefined): Promise<boolean>;
  /** Whether a valid cookie value is so old that it should be replaced. */
  isDue(shown: string | undefined): boolean;
}

const cookieVersion = 'v1';
const cookieShape = /^v1\.([0-9a-z]{1,11})\.(\d+\.[\w-]+)$/;
const dayMs = 86_400_000;
const cookieLifeMs = limits.gateCookieDays * dayMs;

/** @param env administrators can change the password in it */
export function createSiteGate(
  env: { readonly sitePassword: string | undefined },
  keys: SigningKeys,
  clock: Clock,
): SiteGate {
  let hashed = { password: env.sitePassword, digest: hashOf(env.sitePassword ?? '') };
  const digest = () => {
    const { sitePassword } = env;
    if (hashed.password !== sitePassword) hashed = { password: sitePassword, digest: hashOf(sitePassword ?? '') };
    return hashed.digest;
  };
  // A time in the future occurs when the clock was set back after the value was issued. The
  // signature vouches for it.
  const ageOf = (issuedAt: string) => Math.abs(clock.now() - Number.parseInt(issuedAt, 36));
  const textOf = (issuedAt: string) => [cookieVersion, issuedAt, digest().toString('hex')].join(' ');
  return {
    get isClosed() {
      return env.sitePassword !== undefined;
    },
    isPassword: (given) => isSame(hashOf(given), digest()),
    async issue() {
      const issuedAt = clock.now().toString(36);
      return `${cookieVersion}.${issuedAt}.${await keys.sign('gate-cookie', textOf(issuedAt))}`;
    },
    async isEntered(shown) {
      const [, issuedAt = '', signature = ''] = cookieShape.exec(shown ?? '') ?? [];
      if (!(ageOf(issuedAt) < cookieLifeMs)) return false;
      return keys.isSigned('gate-cookie', textOf(issuedAt), signature);
    },
    isDue: (shown) => ageOf(cookieShape.exec(shown ?? '')?.[1] ?? '') > dayMs,
  };
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text.normalize('NFKC')).digest();
}

const gateCookie = 'gate';

/**
 * Closes the site to browsers that have not entered its password: every call that is not marked
 * open, video bytes and images, and every URL below those of calls, whether such a call exists or
 * not. The app's own files stay open. Active visitors stay admitted: the cookie is renewed once a
 * day, with any reply that is not bytes.
 * @param requestAccess where visitors ask for the password
 */
export function closeGate(app: FastifyInstance, gate: SiteGate, requestAccess: RequestAccess | null): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!gate.isClosed || isOpen(request)) return;
    if (await isAdmitted(gate, request)) {
      const isRenewed = request.facts?.budget !== 'none' && gate.isDue(ownCookie.read(request, gateCookie));
      if (isRenewed) await setGateCookie(gate, request, reply);
      return;
    }
    throw new Refusal('site_password_required', { details: { request_access: requestAccess } });
  });
}

/** Whether the site is open to this browser. */
export async function isAdmitted(gate: SiteGate, request: FastifyRequest): Promise<boolean> {
  return !gate.isClosed || gate.isEntered(ownCookie.read(request, gateCookie));
}

export async function setGateCookie(gate: SiteGate, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  ownCookie.set(request, reply, gateCookie, await gate.issue(), limits.gateCookieDays * 86_400);
}

function isOpen(request: FastifyRequest): boolean {
  if (request.facts !== null) return request.facts.gate === 'open';
  // The URL of a folder itself is closed like its content.
  return !isBelowCallFolder(`${plainPath(request.raw.url ?? '/')}/`);
}
