import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Shuffle } from '#contract/rules/settings.ts';
import { shuffleCookie } from '#contract/rules/settings.ts';
import { clientAddress } from '../../http/client-address.ts';
import { viewerOf } from '../../http/pipeline/cookies.ts';
import type {} from '../../http/pipeline/route.ts';

/** The owner of a log of watched videos: an account, or a browser without one. */
export interface Owner {
  /** The id of the account, or the hash of the browser's random name. */
  readonly key: string;
  /** Null for a browser. */
  readonly userId: string | null;
}

/** Who watches, where, and how they want videos to be shuffled. */
export interface Watcher extends Owner {
  /** The browser, as a hash. */
  readonly device: string;
  readonly address: string;
  /** The choice of the device; an account has its own. */
  readonly shuffle: Shuffle;
}

/** Null for a browser that has no random name yet and no account. */
export function watcherOf(request: FastifyRequest): Watcher | null {
  const userId = request.caller?.user?.userId ?? null;
  const viewer = viewerOf(request);
  const device = viewer === undefined ? '' : createHash('sha256').update(viewer).digest('base64url');
  const key = userId ?? device;
  if (key === '') return null;
  const shuffle = request.cookies[shuffleCookie] === 'random' ? 'random' : 'once';
  return { key, userId, device, address: clientAddress(request), shuffle };
}
