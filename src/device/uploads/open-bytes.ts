import { limits } from '#contract/limits.ts';
import type { FileIdentity, QueuedUpload } from './queued-upload.ts';
import type { UploadBytes, UploadPieces } from './upload-bytes.ts';
import { FileBytes, readBlob, StagedBytes, uploadPieces } from './upload-bytes.ts';

/**
 * The action that only the user can take: allow the browser to read the file again, or choose it
 * again.
 */
export type Missing = 'permission' | 'pick-again';

type ReadMode = { mode: 'read' };

/**
 * A file handle. Only files that the user picked need permission; handles of the origin private
 * file system do not have these methods.
 */
type Handle = FileSystemFileHandle & {
  queryPermission?(mode: ReadMode): Promise<PermissionState>;
  requestPermission?(mode: ReadMode): Promise<PermissionState>;
};

/** Opens a stored file after a reload, and checks that it is readable and unchanged. */
export function openBytes(upload: QueuedUpload, pieces: UploadPieces = uploadPieces): Promise<UploadBytes | Missing> {
  switch (upload.source.kind) {
    case 'handle':
      return openHandle(upload, upload.source.handle);
    case 'staged':
      return orPickAgain(async () => trust(new StagedBytes(upload, pieces)));
    default:
      return Promise.resolve('pick-again');
  }
}

/**
 * Asks for permission to read a stored file. Browsers allow this only in response to a user action.
 */
export async function askPermission({ source }: QueuedUpload): Promise<boolean> {
  if (source.kind !== 'handle') return false;
  const handle: Handle = source.handle;
  try {
    return ((await handle.requestPermission?.({ mode: 'read' })) ?? 'granted') === 'granted';
  } catch {
    // There was no user action, or the browser has forgotten the file.
    return false;
  }
}

/**
 * Opens a file that was stored or chosen earlier. Safari sends such a file as an empty one unless
 * it is wrapped in a new `File`, which copies nothing.
 * @throws when it cannot be read
 */
export async function trustFile(file: File): Promise<UploadBytes> {
  return trust(new FileBytes(new File([file], file.name, { type: file.type, lastModified: file.lastModified })));
}

async function openHandle(upload: QueuedUpload, handle: Handle): Promise<UploadBytes | Missing> {
  return orPickAgain(async () => {
    const state = (await handle.queryPermission?.({ mode: 'read' })) ?? 'granted';
    if (state === 'prompt') return 'permission';
    const file = await handle.getFile();
    const bytes = await trustFile(file);
    const isUnchanged = file.size === upload.size && file.lastModified === upload.lastModified;
    return isUnchanged || (await isSameFile(upload, bytes)) ? bytes : 'pick-again';
  });
}

/** Reads the first byte: engines can lose the bytes of files that still look intact. */
async function trust(bytes: UploadBytes): Promise<UploadBytes> {
  await readBlob(await bytes.slice(0, 1));
  return bytes;
}

async function orPickAgain(open: () => Promise<UploadBytes | Missing>): Promise<UploadBytes | Missing> {
  try {
    return await open();
  } catch {
    // The file was moved, deleted, denied or evicted.
    return 'pick-again';
  }
}

/**
 * Computes the identity of a file, once before its first byte is sent. @throws when it cannot be
 * read
 */
export async function readIdentity(bytes: UploadBytes): Promise<FileIdentity> {
  const { size } = bytes;
  return {
    headHash: await hash(bytes, 0, Math.min(size, limits.comparedBytes)),
    tailHash: await hash(bytes, Math.max(0, size - limits.comparedBytes), size),
  };
}

/**
 * Whether these bytes are those of the file that was chosen before. Its name and time may differ,
 * because phones hand out copies. False when its identity is unknown, so that bytes of two files
 * are never mixed.
 */
export async function isSameFile(
  { size, identity }: Pick<QueuedUpload, 'size' | 'identity'>,
  bytes: UploadBytes,
): Promise<boolean> {
  if (!identity || bytes.size !== size) return false;
  const { headHash, tailHash } = await readIdentity(bytes);
  return headHash === identity.headHash && tailHash === identity.tailHash;
}

async function hash(bytes: UploadBytes, start: number, end: number): Promise<string> {
  const digest = await sha256(await readBlob(await bytes.slice(start, end)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256 (FIPS 180-4), even on plain-http pages, where the browser has none. */
export async function sha256(bytes: ArrayBuffer): Promise<Uint8Array> {
  const { subtle } = crypto as Partial<Crypto>;
  return subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : computeSha256(bytes);
}

const primes = listPrimes(64);
/**
 * The first 32 bits of the fractional parts of the square roots, and of the cube roots, of primes.
 */
const startState = primes.slice(0, 8).map((prime) => fractionOf(prime ** (1 / 2)));
const roundConstants = primes.map((prime) => fractionOf(prime ** (1 / 3)));

export function computeSha256(bytes: ArrayBuffer): Uint8Array {
  const message = pad(bytes);
  const state = Int32Array.from(startState);
  const words = new Int32Array(64);
  for (let block = 0; block < message.byteLength; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = message.getInt32(block + 4 * at);
    expand(words);
    compress(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) digest.setInt32(4 * at, word);
  return new Uint8Array(digest.buffer);
}

/** Appends a set bit, zeros, and the length in bits, up to a multiple of 64 bytes. */
function pad(bytes: ArrayBuffer): DataView {
  const { byteLength } = bytes;
  const padded = new Uint8Array(Math.ceil((byteLength + 9) / 64) * 64);
  padded.set(new Uint8Array(bytes));
  padded[byteLength] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(byteLength / 2 ** 29));
  view.setUint32(padded.length - 4, (byteLength * 8) >>> 0);
  return view;
}

function expand(words: Int32Array): void {
  for (let at = 16; at < 64; at += 1) {
    const near = words[at - 2] as number;
    const far = words[at - 15] as number;
    const mixed = mix(far, 7, 18) ^ (far >>> 3);
    words[at] = (words[at - 16] as number) + mixed + (words[at - 7] as number) + (mix(near, 17, 19) ^ (near >>> 10));
  }
}

function compress(state: Int32Array, words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  words.forEach((word, round) => {
    const chosen = (e & f) ^ (~e & g);
    const first = (h + (mix(e, 6, 11) ^ rotate(e, 25)) + chosen + (roundConstants[round] as number) + word) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((mix(a, 2, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  });
  [a, b, c, d, e, f, g, h].forEach((value, at) => {
    state[at] = (state[at] as number) + value;
  });
}

function mix(word: number, left: number, right: number): number {
  return rotate(word, left) ^ rotate(word, right);
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionOf(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function listPrimes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) if (found.every((prime) => next % prime !== 0)) found.push(next);
  return found;
}
