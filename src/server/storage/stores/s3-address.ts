import { BlockList, isIP } from 'node:net';

/** The place of a bucket, and the key that opens it. */
export interface S3Address {
  /** The origin without a slash at its end, such as `https://s3.example.org`. */
  origin: string;
  bucket: string;
  /** The beginning of all keys: empty, or with a slash at its end. */
  prefix: string;
  region: string;
  keyId: string;
  secret: string;
}

const defaultRegion = 'us-east-1';
const bucketShape = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * Reads `s3://KEY_ID@HOST[:PORT]/BUCKET[/PREFIX]?region=REGION`, with `&tls=off` for a store on this
 * machine or in its own network.
 * @param secretName the variable that holds the secret
 * @throws RangeError that says what is wrong, without the secret
 */
export function readS3Address(text: string, secret: string, secretName = 'STORAGE_SECRET'): S3Address {
  const { url, user: keyId, ...place } = readStoreUrl(text, 's3:', { shape, known: ['region', 'tls'], secretName });
  if (keyId === '') throw new RangeError(`has to name a key before the host: ${shape}`);
  const [bucket = '', ...folders] = place.path;
  if (!bucketShape.test(bucket)) throw new RangeError(`has to name a bucket behind the host: ${shape}`);
  const region = url.searchParams.get('region') ?? defaultRegion;
  return { origin: place.origin, bucket, prefix: readPrefix(folders), region, keyId, secret };
}

const shape = 's3://KEY_ID@HOST/BUCKET/PREFIX?region=REGION';

/**
 * Reads what the addresses of all stores have in common.
 * @param known names of what may stand behind the question mark
 * @throws RangeError
 */
export function readStoreUrl(
  text: string,
  scheme: string,
  { shape, known, secretName }: { shape: string; known: readonly string[]; secretName: string },
): { url: URL; origin: string; user: string; path: string[] } {
  const url = tryToRead(text, scheme);
  if (url === null || url.hostname === '') throw new RangeError(`has to look like ${shape}`);
  if (url.password !== '') throw new RangeError(`may not hold the secret, which belongs into ${secretName}`);
  const unknown = [...url.searchParams.keys()].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new RangeError(`knows no ${unknown.join(', ')}: ${shape}`);
  const isPlain = url.searchParams.get('tls') === 'off';
  if (isPlain && !isNear(url.hostname))
    throw new RangeError('may have tls=off only for a store on this machine or in its own network');
  const path = decodeURIComponent(url.pathname).split('/').slice(1);
  return { url, origin: `${isPlain ? 'http' : 'https'}://${url.host}`, user: decodeURIComponent(url.username), path };
}

/** The beginning of all keys, from the names of folders. @throws RangeError */
export function readPrefix(folders: readonly string[]): string {
  const names = folders.filter((name) => name !== '');
  if (names.some((name) => name === '.' || name === '..')) throw new RangeError("may hold no '..' in its prefix");
  return names.map((name) => `${name}/`).join('');
}

/** The address for people: without the key. */
export function describeS3({ origin, bucket, prefix }: S3Address): string {
  return `${origin}/${bucket}/${prefix}`;
}

function tryToRead(text: string, scheme: string): URL | null {
  // Only the schemes of the web have a port and an encoded host.
  const url = text.startsWith(`${scheme}//`) ? URL.parse(`https:${text.slice(scheme.length)}`) : null;
  return url !== null && decode(url.username + url.pathname) !== null ? url : null;
}

/** Null for a percent sign that encodes nothing. */
export function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const near = new BlockList();
near.addSubnet('127.0.0.0', 8);
near.addSubnet('10.0.0.0', 8);
near.addSubnet('172.16.0.0', 12);
near.addSubnet('192.168.0.0', 16);
near.addSubnet('169.254.0.0', 16);
near.addAddress('::1', 'ipv6');
near.addSubnet('fc00::', 7, 'ipv6');
near.addSubnet('fe80::', 10, 'ipv6');

/** A name without a dot is known in the own network alone. */
function isNear(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0) return !hostname.includes('.');
  return near.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Encodes a key by the rule of S3's signatures: all but letters, digits, `-._~` and slashes. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodePart).join('/');
}

function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

const maxKeyBytes = 1_024;

/** Whether a key can be a name here: others lead out of their folder, or into none. */
export function isUsableKey(key: string): boolean {
  if (Buffer.byteLength(key) > maxKeyBytes) return false;
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
