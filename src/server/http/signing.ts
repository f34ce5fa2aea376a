import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
import type { Secret } from '../secrets.ts';
import { insertSecret, randomKey, readSecrets, takeSecret } from '../secrets.ts';

/** The kinds of signed data. Each has its own keys: a signature for one is invalid for another. */
type Purpose = 'access-token' | 'refresh-token' | 'session-cookie' | 'gate-cookie' | 'repeatable-answer';

interface SigningKey {
  id: string;
  key: Buffer;
}

/**
 * The signing keys that all nodes share. A new key takes over every month; older keys are kept
 * until everything that they signed has expired.
 */
export interface SigningKeys {
  newest(purpose: Purpose): Promise<SigningKey>;
  find(purpose: Purpose, id: string): Promise<SigningKey | null>;
  /** Signs a text: `<key id>.<HMAC-SHA-256>`. */
  sign(purpose: Purpose, text: string): Promise<string>;
  isSigned(purpose: Purpose, text: string, signature: string): Promise<boolean>;
}

const prefix = 'signing_key:';
const dayMs = 86_400_000;
const signsForMs = 30 * dayMs;
/**
 * Signatures of a replaced key are valid for another month, and a little longer on a node whose
 * clock is behind.
 */
const outlivesMs = 32 * dayMs;
const freshForMs = 60_000;
/**
 * When a key is unknown, keys of other nodes are looked for, at most this often: forged ids must
 * not cause a query each.
 */
const lookAgainAfterMs = 1_000;

export function createSigningKeys(database: Database, clock: Clock): SigningKeys {
  const derived = new Map<string, Buffer>();
  let known: { secrets: Promise<Secret[]>; readAt: number } | null = null;

  const load = (maxAgeMs: number): Promise<Secret[]> => {
    if (known !== null && clock.elapsed() - known.readAt < maxAgeMs) return known.secrets;
    const secrets = loadKeys(database, clock.now());
    known = { secrets, readAt: clock.elapsed() };
    secrets.catch(() => {
      known = null;
    });
    return secrets;
  };

  const toKey = (purpose: Purpose, secret: Secret): SigningKey => {
    const name = `${purpose} ${secret.name}`;
    const key = derived.get(name) ?? createHmac('sha256', Buffer.from(secret.value, 'base64')).update(purpose).digest();
    derived.set(name, key);
    return { id: secret.name.slice(prefix.length), key };
  };

  const newest = async (purpose: Purpose) => {
    const secret = (await load(freshForMs)).at(-1);
    if (secret === undefined) throw new Error('There is no signing key.');
    return toKey(purpose, secret);
  };
  const find = async (purpose: Purpose, id: string) => {
    for (const maxAgeMs of [freshForMs, lookAgainAfterMs]) {
      const secret = (await load(maxAgeMs)).find((one) => one.name === prefix + id);
      if (secret !== undefined) return toKey(purpose, secret);
    }
    return null;
  };

  return {
    newest,
    find,
    async sign(purpose, text) {
      const { id, key } = await newest(purpose);
      return `${id}.${mac(key, text).toString('base64url')}`;
    },
    async isSigned(purpose, text, signature) {
      const [id = '', given = ''] = signature.split('.', 2);
      const key = await find(purpose, id);
      return key !== null && isSame(mac(key.key, text), Buffer.from(given, 'base64url'));
    },
  };
}

/**
 * Loads the keys in the order in which they were made, and makes the next one when it is due. If
 * two nodes make it at once, one of the two is kept.
 */
async function loadKeys(database: Database, now: number): Promise<Secret[]> {
  const secrets = await listKeys(database.reader);
  const last = secrets.at(-1);
  // A key from the future was made while the clock was wrong.
  if (last !== undefined && Math.abs(now - last.createdAt) < signsForMs) return secrets;
  const number = last === undefined ? 1 : numberOf(last) + 1;
  return database.write(async (transaction) => {
    await insertSecret(transaction, { name: `${prefix}${number}`, value: randomKey(), createdAt: now });
    return listKeys(transaction);
  });
}

/** Deletes the keys whose signatures have all expired at this instant, in epoch milliseconds. */
export async function deleteRetiredKeys(executor: Executor, now: number): Promise<void> {
  const secrets = await listKeys(executor);
  const successor = secrets.findLastIndex(({ createdAt }) => createdAt < now - outlivesMs);
  for (const { name } of secrets.slice(0, Math.max(0, successor))) await takeSecret(executor, name);
}

async function listKeys(executor: Executor): Promise<Secret[]> {
  return (await readSecrets(executor, prefix)).sort((a, b) => numberOf(a) - numberOf(b));
}

function numberOf({ name }: Secret): number {
  return Number(name.slice(prefix.length));
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Compares bytes in a time that does not depend on where they differ. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The permission that a media URL carries. */
export interface MediaGrant {
  viewer: string;
  videoId: string;
  rendition: Rendition;
  /**
   * `everybody`: the video as anyone could play it when the URL was signed; `hd`: granted by a plan
   * with HD.
   */
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
  /** Whether this server signed the grant, and it has not expired. */
  isGranted(grant: MediaGrant, given: MediaSignature): boolean;
}

const lifeSeconds = limits.mediaUrlHours * 3_600;
/** Expiry is rounded up to the hour: a video keeps its URL for a while, for the browser's cache. */
const stepSeconds = 3_600;

export function createMediaUrlSigner(key: Buffer, clock: Clock): MediaUrlSigner {
  const seal = (grant: MediaGrant, expires: number) =>
    mac(key, [grant.viewer, grant.videoId, grant.rendition, grant.right, expires].join('\n'));

  return {
    sign(grant) {
      const expires = Math.ceil((clock.now() / 1000 + lifeSeconds) / stepSeconds) * stepSeconds;
      return { expires, signature: seal(grant, expires).toString('base64url') };
    },
    isGranted(grant, { expires, signature }) {
      if (expires * 1000 <= clock.now()) return false;
      return isSame(seal(grant, expires), Buffer.from(signature, 'base64url'));
    },
  };
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text so that only a holder of the key can read or change it (AES-256-GCM): nonce, tag
 * and ciphertext, base64.
 */
export function sealText(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** @throws if it was sealed with another key, or changed */
export function openText(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
}
