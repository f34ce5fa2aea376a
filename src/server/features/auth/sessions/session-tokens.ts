import type { JWTPayload } from 'jose';
import { errors, jwtVerify, SignJWT } from 'jose';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../../clock.ts';
import type { SigningKeys } from '../../../http/signing.ts';

/** One sign-in on one device. Its id is also the family of its refresh tokens. Instants are epoch milliseconds. */
export interface Session {
  id: string;
  userId: string;
  /** Number of the refresh token that is due. */
  generation: number;
  rotatedAt: number;
  expiresAt: number;
  isRemembered: boolean;
  /** In words: 'Firefox on Linux'. */
  device: string;
  createdAt: number;
  lastUsedAt: number;
  /** When a provider last said who this is, after the sign-in; null: not since. */
  provenAt: number | null;
}

const hourMs = 3_600_000;

/** Milliseconds that a session lives on after each use (§9 Account constants). */
export function sessionLifeMs(isRemembered: boolean): number {
  return (isRemembered ? limits.rememberMeDays * 24 : limits.refreshTokenHours) * hourMs;
}

/** What an access token names: a session and its person, and nothing that could change meanwhile. */
interface TokenSubject {
  sessionId: string;
  userId: string;
}

type ReadToken = { kind: 'good' | 'expired'; subject: TokenSubject } | { kind: 'none' };

export interface AccessTokens {
  issue(subject: TokenSubject): Promise<string>;
  /** Whatever is no token of ours is none. */
  read(token: string): Promise<ReadToken>;
}

const accessAlgorithm = 'HS256';
const accessTokenType = 'at+jwt';
const tokenParty = 'fourfold';
const accessTokenSeconds = limits.accessTokenMinutes * 60;
/** Between the clocks of two nodes. */
const skewSeconds = 60;

/**
 * JWTs of fifteen minutes, signed with a key that the token only names: neither key nor algorithm is the token's own
 * choice.
 */
export function createAccessTokens(keys: SigningKeys, clock: Clock): AccessTokens {
  return {
    async issue({ sessionId, userId }) {
      const { id, key } = await keys.newest('access-token');
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: accessAlgorithm, typ: accessTokenType, kid: id })
        .setSubject(userId)
        .setIssuer(tokenParty)
        .setAudience(tokenParty)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + accessTokenSeconds)
        .sign(key);
    },
    async read(token) {
      const findKey = async ({ kid = '' }: { kid?: string }) => {
        const found = await keys.find('access-token', kid);
        if (found === null) throw new errors.JWKSNoMatchingKey();
        return found.key;
      };
      const expectations = {
        algorithms: [accessAlgorithm],
        typ: accessTokenType,
        issuer: tokenParty,
        audience: tokenParty,
        requiredClaims: ['exp', 'sub', 'sid'],
      };
      try {
        const { payload } = await jwtVerify(token, findKey, {
          ...expectations,
          clockTolerance: skewSeconds,
          currentDate: new Date(clock.now()),
        });
        return toRead('good', payload);
      } catch (error) {
        // Thrown after the signature was found to be ours.
        if (error instanceof errors.JWTExpired) return toRead('expired', error.payload);
        if (error instanceof errors.JOSEError) return { kind: 'none' };
        throw error;
      }
    },
  };
}

function toRead(kind: 'good' | 'expired', { sub, sid }: JWTPayload): ReadToken {
  return sub !== undefined && typeof sid === 'string'
    ? { kind, subject: { sessionId: sid, userId: sub } }
    : { kind: 'none' };
}

/** Which of a session's refresh tokens one is. */
interface RefreshNumber {
  sessionId: string;
  generation: number;
}

const refreshTokenShape = /^([\w-]{1,64})\.(\d{1,9})\.(\d{1,9}\.[\w-]{43})$/;

/** `family.generation.signature`: nothing of it is stored, so that any node can write the successor again. */
export async function writeRefreshToken(keys: SigningKeys, { sessionId, generation }: RefreshNumber): Promise<string> {
  const text = `${sessionId}.${generation}`;
  return `${text}.${await keys.sign('refresh-token', text)}`;
}

/** Null for what is no token of ours. */
export async function readRefreshToken(keys: SigningKeys, token: string): Promise<RefreshNumber | null> {
  const [, sessionId = '', generation = '', signature = ''] = refreshTokenShape.exec(token) ?? [];
  const isOurs = sessionId !== '' && (await keys.isSigned('refresh-token', `${sessionId}.${generation}`, signature));
  return isOurs ? { sessionId, generation: Number(generation) } : null;
}
