import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from './clock.ts';

export interface Ids {
  /** UUIDv7: sorts by creation time. The public id of everything but tags. */
  long(): string;
  /** 10 characters, for ids that occur by the hundred in one URL. */
  short(): string;
  /** The id of one request, in its answer and in the log. */
  request(): string;
  /** 144 random bits that cannot be guessed, as text for cookies and keys. */
  secret(): string;
}

/** Returns a whole number from 0 to below `limit`, each equally likely. */
export type RandomBelow = (limit: number) => number;

export const secureRandomBelow: RandomBelow = (limit) => randomInt(limit);

/** No vowels, so that no words appear, and no look-alikes. 28 letters: 10 of them hold 48 bits. */
const shortAlphabet = '23456789bcdfghjkmnpqrstvwxyz';
const shortLength = 10;

export function createIds(clock: Clock): Ids {
  // Request ids need not be unguessable, and every request needs one: a counter is cheap.
  const process = randomBytes(6).toString('base64url');
  let requests = 0;
  return {
    long: () => uuidV7(clock.now()),
    short: () => Array.from({ length: shortLength }, () => shortAlphabet[randomInt(shortAlphabet.length)]).join(''),
    request() {
      requests += 1;
      return `${process}-${requests.toString(36)}`;
    },
    secret: () => randomBytes(18).toString('base64url'),
  };
}

/**
 * RFC 9562 section 5.7: 48 bits of epoch milliseconds, 74 random bits around version and variant.
 */
function uuidV7(epochMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(epochMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
