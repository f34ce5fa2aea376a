import type { JWTPayload } from 'jose';
import { errors, jwtVerify, SignJWT } from 'jose';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../../clock.ts';
import type { SigningKeys } from '../../../http/signing/signing-keys.ts';

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

const algorithm = 'HS256';
const type = 'at+jwt';
const party = 'fourfold';
const lifeSeconds = limits.accessTokenMinutes * 60;
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
        .setProtectedHeader({ alg: algorithm, typ: type, kid: id })
        .setSubject(userId)
        .setIssuer(party)
        .setAudience(party)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .sign(key);
    },
    async read(token) {
      const findKey = async ({ kid = '' }: { kid?: string }) => {
        const found = await keys.find('access-token', kid);
        if (found === null) throw new errors.JWKSNoMatchingKey();
        return found.key;
      };
      const expectations = {
        algorithms: [algorithm],
        typ: type,
        issuer: party,
        audience: party,
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
