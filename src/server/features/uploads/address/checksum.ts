import { createHash } from 'node:crypto';
import { Refusal } from '../../../http/pipeline/errors.ts';

/** Of `Upload-Checksum`, by their names in tus. */
export const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const;

const digestBytes: Record<(typeof checksumAlgorithms)[number], number> = { sha1: 20, sha256: 32, sha512: 64, md5: 16 };

/** What the bytes of one request have to come to. */
export interface Checksum {
  add(chunk: Uint8Array): void;
  /** Once, after the last. */
  matches(): boolean;
}

/** Null without a header. @throws Refusal 400 for an algorithm that is not known, or what is no digest */
export function readChecksum(header: string | undefined): Checksum | null {
  if (header === undefined) return null;
  const [name, digest = ''] = header.trim().split(' ');
  const algorithm = checksumAlgorithms.find((known) => known === name);
  const expected = Buffer.from(digest, 'base64');
  if (algorithm === undefined || expected.length !== digestBytes[algorithm])
    throw new Refusal('bad_request', {
      message: `A checksum is one of ${checksumAlgorithms.join(', ')}, with its digest in Base64.`,
    });
  const hash = createHash(algorithm);
  return {
    add: (chunk) => void hash.update(chunk),
    matches: () => hash.digest().equals(expected),
  };
}
