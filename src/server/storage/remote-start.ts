import type { FileHandle } from 'node:fs/promises';
import type { RemoteReader } from './remote-file.ts';

/** The first bytes of a file lie between these. */
const leastBytes = 8 * 1024 * 1024;
const mostBytes = 64 * 1024 * 1024;
/** An index behind the samples is fetched up to this length: ten hours of film have 20 MB. */
const maxIndexBytes = 32 * 1024 * 1024;
/** The last bytes of a file that is no MP4 have the times of its pictures. */
const tailBytes = 256 * 1024;

/** A part of a file, from one byte up to another one, which does not belong to it. */
interface Span {
  from: number;
  to: number;
}

/**
 * How many of the first bytes hold the pictures up to a moment, with room for a beginning of twice
 * the mean rate; null where that is most of the file.
 * @param moment milliseconds
 */
export function startBytes(size: number, moment: number, durationMs: number | null): number | null {
  const mean = durationMs === null || durationMs === 0 ? 0 : (size / durationMs) * moment;
  const bytes = Math.max(leastBytes, Math.ceil(2 * mean) + leastBytes / 4);
  return bytes > mostBytes || 2 * bytes > size ? null : bytes;
}

/**
 * Makes a file with the length of a remote one, of which it has the first bytes and the index. All
 * other bytes are 0, and take no room.
 * @returns false where the file is another one by now, or its index was not found
 */
export async function copyStart(
  reader: RemoteReader,
  remote: { name: string; size: number; bytes: number },
  file: FileHandle,
  signal: AbortSignal,
): Promise<boolean> {
  await file.truncate(remote.size);
  if (!(await copySpan(reader, remote, { from: 0, to: remote.bytes }, file, signal))) return false;
  const index = await findIndex(file, remote);
  if (index === null || index.to - index.from > maxIndexBytes) return false;
  return index.to === index.from || copySpan(reader, remote, index, file, signal);
}

async function copySpan(
  reader: RemoteReader,
  { name, size }: { name: string; size: number },
  { from, to }: Span,
  file: FileHandle,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await reader.get(name, { start: from, end: to - 1 }, signal);
  if (found?.size !== size) {
    await found?.bytes[Symbol.asyncIterator]().return?.();
    return false;
  }
  let at = from;
  for await (const chunk of found.bytes) {
    for (let sent = 0; sent < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, sent, chunk.length - sent, at);
      sent += bytesWritten;
      at += bytesWritten;
    }
  }
  if (at !== to) throw new RangeError('The file is shorter than it was.');
  return true;
}

/** The bytes behind the first ones without which nothing can be read; null for a damaged file. */
async function findIndex(file: FileHandle, { size, bytes }: { size: number; bytes: number }): Promise<Span | null> {
  const { buffer: head } = await file.read(Buffer.alloc(boxHeaderBytes), { position: 0 });
  if (!mp4Begins.has(head.toString('latin1', 4, 8))) return { from: Math.max(bytes, size - tailBytes), to: size };
  // The box that leads out of the first bytes is the index itself, or the samples before it.
  for (let at = 0; at + boxHeaderBytes <= bytes; ) {
    const { buffer: box } = await file.read(Buffer.alloc(boxHeaderBytes), { position: at });
    const length = boxLength(box, size - at);
    if (length < 8) return null;
    if (box.toString('latin1', 4, 8) === 'moov') return { from: bytes, to: Math.max(bytes, at + length) };
    if (at + length > bytes) return { from: Math.min(at + length, size), to: size };
    at += length;
  }
  return null;
}

/** The length and the type of a box, and its length in 64 bits (ISO/IEC 14496-12, 4.2). */
const boxHeaderBytes = 16;
const mp4Begins = new Set(['ftyp', 'moov', 'mdat', 'free', 'wide', 'skip', 'pnot']);

/** @param rest bytes from the beginning of the box to the end of the file */
function boxLength(box: Buffer, rest: number): number {
  const length = box.readUInt32BE(0);
  if (length === 0) return rest;
  return length === 1 ? Number(box.readBigUInt64BE(8)) : length;
}
