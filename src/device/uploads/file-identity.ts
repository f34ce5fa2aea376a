import { limits } from '#contract/limits.ts';
import type { FileIdentity, QueuedUpload } from './queued-upload.ts';
import { sha256 } from './sha-256.ts';
import type { UploadBytes } from './upload-bytes.ts';
import { readBlob } from './upload-bytes.ts';

/** Reads what a file is known by: once before the first byte is sent. @throws where it cannot be read */
export async function readIdentity(bytes: UploadBytes): Promise<FileIdentity> {
  const { size } = bytes;
  return {
    headHash: await hash(bytes, 0, Math.min(size, limits.comparedBytes)),
    tailHash: await hash(bytes, Math.max(0, size - limits.comparedBytes), size),
  };
}

/**
 * Whether these are the bytes of the file that was chosen before. Its name and its time may differ: phones give copies.
 * False where nothing is known of it, so that bytes of two files never end up in one.
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
