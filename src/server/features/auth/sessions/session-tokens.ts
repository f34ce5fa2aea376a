import type { JWTPayload } from 'jose';
import { errors, jwtVerify, SignJWT } from 'jose';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../../clock.ts';
import type { SigningKeys } from '../../../http/signing.ts';

/**
 * One sign-in on one device. Its id is also the family of its refresh tokens. Instants are epoch
 * milliseconds.
 */
export interface AuthSession {
  id: string;
  userId: string;
  /** Generation of the valid refresh token. */
  generation: number;
  rotatedAt: number;
  expiresAt: number;
  isRemembered: boolean;
  /** The device in words, such as 'Firefox on Linux'. */
  device: string;
  createdAt: number;
  lastUsedAt: number;
  /** The last time a provider confirmed the identity after the sign-in; null: never. */
  provenAt: number | null;
}

const hourMs = 3_600_000;

/** Milliseconds that a session remains valid after each use (§9 Account constants). */
export function sessionLifeMs(isRemembered: boolean): number {
  return (isRemembered ? limits.rememberMeDays * 24 : limits.refreshTokenHours) * hourMs;
}

/** The session and user that an access token names. Neither can change while it is valid. */
interface TokenSubject {
  sessionId: string;
  userId: string;
}

type ReadToken = { kind: 'good' | 'expired'; subject: TokenSubject } | { kind: 'none' };

export interface AccessTokens {
  issue(subject: TokenSubject): Promise<string>;
  /** Returns `none` for anything that is not a token of this site. */
  read(token: string): Promise<ReadToken>;
}

const accessAlgorithm = 'HS256';
const accessTokenType = 'at+jwt';
const tokenParty = 'fourfold';
const accessTokenSeconds = limits.accessTokenMinutes * 60;
/** Tolerated difference between the clocks of two nodes. */
const skewSeconds = 60;

/**
 * JWTs valid for fifteen minutes. A token only names its key; it can choose neither key material
 * nor algorithm.
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
        // This error is thrown only after the signature was verified.
        if (error instanceof errors.JWTExpired) return toRead('expired', error.payload);
        if (error instanceof errors.JOSEError) return { kind: 'none' };
        throw error;
      }
    },
  };
}

function toRead(kind: 'good' | 'expired', { sub, sid }: JWTPayload): ReadToken {
  if (sub === undefined || typeof sid !== 'string') return { kind: 'none' };
  return { kind, subject: { sessionId: sid, userId: sub } };
}

/** The session and generation of a refresh token. */
interface RefreshNumber {
  sessionId: string;
  generation: number;
}

const refreshTokenShape = /^([\w-]{1,64})\.(\d{1,9})\.(\d{1,9}\.[\w-]{43})$/;

/**
 * A refresh token: `family.generation.signature`. It is not stored, so any node can issue the same
 * successor again.
 */
export async function writeRefreshToken(keys: SigningKeys, { sessionId, generation }: RefreshNumber): Promise<string> {
  const text = `${sessionId}.${generation}`;
  return `${text}.${await keys.sign('refresh-token', text)}`;
}

/** Null for anything that is not a token of this site. */
export async function readRefreshToken(keys: SigningKeys, token: string): Promise<RefreshNumber | null> {
  const [, sessionId = '', generation = '', signature = ''] = refreshTokenShape.exec(token) ?? [];
  const isOurs = sessionId !== '' && (await keys.isSigned('refresh-token', `${sessionId}.${generation}`, signature));
  return isOurs ? { sessionId, generation: Number(generation) } : null;
}
