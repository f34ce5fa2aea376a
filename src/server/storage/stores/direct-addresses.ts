import { createHash, createHmac } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../clock.ts';
import type { Env } from '../../env.ts';
import type { S3Address } from './s3-address.ts';
import { encodeKey } from './s3-address.ts';

const hourSeconds = 3_600;
/** An address holds for at least two hours, and ends with an hour. */
const lifeSeconds = 3 * hourSeconds;
/** About 5 MB of addresses. */
const maxKept = 5_000;

interface DirectAddressesDeps {
  place: S3Address;
  delivery: Exclude<Env['delivery'], { kind: 'server' }>;
  clock: Pick<Clock, 'now'>;
  /** How far the store's clock is ahead of this machine's, in milliseconds. */
  clockOffMs(): number;
}

/**
 * Makes the addresses by which browsers fetch objects from the store, or from a network that
 * delivers them. An address is the same for everybody within an hour, so that caches share it.
 */
export class DirectAddresses {
  private readonly deps: DirectAddressesDeps;
  /** The origin of all addresses. */
  readonly origin: string;
  private readonly signingKeys = new Map<string, ArrayBuffer>();
  private kept = new Map<string, Promise<string>>();
  private keptFor = 0;

  constructor(deps: DirectAddressesDeps) {
    this.deps = deps;
    this.origin = deps.delivery.kind === 'store' ? deps.place.origin : deps.delivery.origin;
  }

  /**
   * @param key of an object, without the prefix of the place
   * @param query parameters that are signed as well; the address adds `expires`, in epoch seconds
   */
  of(key: string, query: Readonly<Record<string, string>>): Promise<string> {
    const hour = this.readHour();
    if (hour !== this.keptFor || this.kept.size >= maxKept) this.kept = new Map();
    this.keptFor = hour;
    const name = JSON.stringify([key, query]);
    const known = this.kept.get(name) ?? this.make(this.deps.place.prefix + key, query, hour);
    this.kept.set(name, known);
    return known;
  }

  /** An address whose time is over, to try whether it is refused. */
  ended(key: string): Promise<string> {
    return this.make(this.deps.place.prefix + key, {}, this.readHour() - 2 * lifeSeconds);
  }

  /** The beginning of this hour by the clock of the store, in epoch seconds. */
  private readHour(): number {
    const seconds = Math.floor((this.deps.clock.now() + this.deps.clockOffMs()) / 1_000);
    return seconds - (seconds % hourSeconds);
  }

  private async make(key: string, query: Readonly<Record<string, string>>, hour: number): Promise<string> {
    const { delivery } = this.deps;
    const expires = hour + lifeSeconds;
    if (delivery.kind === 'store') return this.presign(key, { ...query, expires: String(expires) }, hour);
    const sign = delivery.signing === 'bunny' ? signForBunny : signForNginx;
    return this.origin + sign({ key, query, expires, secret: delivery.key });
  }

  /** Signs for the store itself, as if the address had been made when the hour began. */
  private async presign(key: string, query: Readonly<Record<string, string>>, hour: number): Promise<string> {
    const { bucket, region, keyId, secret } = this.deps.place;
    const url = new URL(`${this.origin}/${bucket}/${encodeKey(key)}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    url.searchParams.set('X-Amz-Expires', String(lifeSeconds));
    const datetime = new Date(hour * 1_000).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const signed = await new AwsV4Signer({
      ...{ method: 'GET', url: url.href, region, datetime, service: 's3', signQuery: true },
      ...{ accessKeyId: keyId, secretAccessKey: secret, cache: this.signingKeys },
    }).sign();
    return signed.url.href;
  }
}

interface Unsigned {
  /** The whole key, which is the path behind the origin. */
  key: string;
  query: Readonly<Record<string, string>>;
  /** Epoch seconds. */
  expires: number;
  secret: string;
}

/**
 * Signs for a pull zone of Bunny by its advanced token authentication: path, end and the sorted
 * parameters, by HMAC-SHA-256. @returns path and query
 */
export function signForBunny({ key, query, expires, secret }: Unsigned): string {
  const path = `/${encodeKey(key)}`;
  const sorted = Object.entries(query).sort(([one], [other]) => (one < other ? -1 : 1));
  const signed = sorted.map((pair) => pair.join('=')).join('&');
  const token = createHmac('sha256', secret).update(`${path}${expires}${signed}`).digest('base64url');
  return `${path}?${encodeQuery([['token', `HS256-${token}`], ...sorted, ['expires', String(expires)]])}`;
}

/**
 * Signs for nginx by its module `secure_link`: `secure_link_md5 "$secure_link_expires$uri KEY"`, with
 * `$arg_md5` and `$arg_expires`. @returns path and query
 */
export function signForNginx({ key, query, expires, secret }: Unsigned): string {
  const md5 = createHash('md5').update(`${expires}/${key} ${secret}`).digest('base64url');
  return `/${encodeKey(key)}?${encodeQuery([...Object.entries(query), ['md5', md5], ['expires', String(expires)]])}`;
}

function encodeQuery(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}
