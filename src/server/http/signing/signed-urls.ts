import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import type { Clock } from '../../clock.ts';

/** What a media address is good for. */
export interface MediaGrant {
  viewer: string;
  videoId: string;
  rendition: Rendition;
  /** By what right: everybody's, as far as it went when it was signed, or that of a plan with HD. */
  right: 'everybody' | 'hd';
}

/** The two query values that carry a grant. */
interface MediaSignature {
  /** Epoch seconds. */
  expires: number;
  signature: string;
}

export interface MediaUrlSigner {
  sign(grant: MediaGrant): MediaSignature;
  /** Whether this server gave the grant, and it still holds. */
  isGranted(grant: MediaGrant, given: MediaSignature): boolean;
}

const lifeSeconds = limits.mediaUrlHours * 3_600;
/**
 * Expiry is rounded up to the hour: the same video keeps the same address for a while, so that a browser's cache knows
 * it again.
 */
const stepSeconds = 3_600;

export function createMediaUrlSigner(key: Buffer, clock: Clock): MediaUrlSigner {
  const seal = (grant: MediaGrant, expires: number) =>
    createHmac('sha256', key)
      .update([grant.viewer, grant.videoId, grant.rendition, grant.right, expires].join('\n'))
      .digest();

  return {
    sign(grant) {
      const expires = Math.ceil((clock.now() / 1000 + lifeSeconds) / stepSeconds) * stepSeconds;
      return { expires, signature: seal(grant, expires).toString('base64url') };
    },
    isGranted(grant, { expires, signature }) {
      if (expires * 1000 <= clock.now()) return false;
      const expected = seal(grant, expires);
      const given = Buffer.from(signature, 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
