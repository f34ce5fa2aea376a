import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { checksumAlgorithms } from './checksum.ts';

/** https://tus.io/protocols/resumable-upload */
const tusVersion = '1.0.0';
const patchType = 'application/offset+octet-stream';

/** On every answer of an address. */
export const everyAnswer = { 'tus-resumable': tusVersion, 'cache-control': 'no-store' };

/** What `OPTIONS` tells. */
export const abilities = {
  'tus-version': tusVersion,
  'tus-extension': 'checksum,termination,expiration',
  'tus-max-size': String(limits.uploadBytes),
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
};

/** @throws Refusal 412 */
export function requireVersion({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (headers['tus-resumable'] !== tusVersion)
    throw new Refusal('precondition_failed', { headers: { 'tus-version': tusVersion } });
}

/** @throws Refusal 400, 415 */
export function readPatchOffset({ headers }: Pick<FastifyRequest, 'headers'>): number {
  if (headers['content-type'] !== patchType)
    throw new Refusal('unsupported_media_type', { message: `A part of a file is sent as ${patchType}.` });
  const offset = headers['upload-offset'];
  const bytes = Number(offset);
  if (typeof offset !== 'string' || !/^\d+$/.test(offset) || !Number.isSafeInteger(bytes))
    throw new Refusal('bad_request', { message: 'Upload-Offset has to be a number of bytes.' });
  return bytes;
}

export function headerOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** @param expiry epoch milliseconds */
export function setExpiry(reply: FastifyReply, expiry: number): void {
  reply.header('upload-expires', new Date(expiry).toUTCString());
}
