import type { Container } from './container-sniff.ts';
import type { UnplayableReason } from './unplayable.ts';

/** A file as far as it may be read: reading beyond `size` is never asked for. */
export interface ByteReader {
  readonly size: number;
  /** The bytes from `start` to before `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/**
 * Looks at the outermost structure alone: does the file hold what it announces? A copy that broke off keeps its header, plays its
 * first seconds and then fails, so the header by itself is no proof.
 */
export async function checkShape(file: ByteReader, container: Container): Promise<UnplayableReason | null> {
  return container === 'mp4' || container === 'mov' ? checkBoxes(file) : checkSegment(file);
}

/** More top-level boxes than this are not looked at: a fragmented film of ten hours has about as many. */
const mostBoxes = 20_000;

async function checkBoxes(file: ByteReader): Promise<UnplayableReason | null> {
  const seen = new Set<string>();
  let at = 0;
  for (let boxes = 0; boxes < mostBoxes && at + 8 <= file.size; boxes += 1) {
    const box = await readBox(file, at);
    if (box === null) break;
    seen.add(box.type);
    at = box.end;
    if (at > file.size) return 'truncated';
  }
  if (!seen.has('moov')) return 'no_index';
  return seen.has('mdat') ? null : 'truncated';
}

interface Box {
  type: string;
  end: number;
}

/** ISO 14496-12 section 4.2. Null for bytes that are no box: what follows the last box of many a file. */
async function readBox(file: ByteReader, at: number): Promise<Box | null> {
  const bytes = await file.read(at, Math.min(at + 16, file.size));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = String.fromCharCode(...bytes.subarray(4, 8));
  if (!/^[\x20-\x7e©]{4}$/.test(type)) return null;
  const size = view.getUint32(0);
  if (size === 0) return { type, end: file.size };
  if (size === 1) return bytes.length < 16 ? null : readLargeBox(view, type, at);
  return size < 8 ? null : { type, end: at + size };
}

function readLargeBox(view: DataView, type: string, at: number): Box | null {
  const size = Number(view.getBigUint64(8));
  return size < 16 ? null : { type, end: at + size };
}

const segmentId = 0x18538067;

/** RFC 9559: an EBML header, then a segment whose length may be unknown. */
async function checkSegment(file: ByteReader): Promise<UnplayableReason | null> {
  let at = 0;
  for (let elements = 0; elements < 16 && at < file.size; elements += 1) {
    const element = readElement(await file.read(at, Math.min(at + 12, file.size)), at);
    if (element === null) return 'damaged';
    if (element.id !== segmentId) {
      at = element.end;
      continue;
    }
    return element.end > file.size && element.end !== Number.POSITIVE_INFINITY ? 'truncated' : null;
  }
  return 'truncated';
}

/** RFC 8794 sections 5 and 6. */
function readElement(bytes: Uint8Array, at: number): { id: number; end: number } | null {
  const idLength = lengthOfVint(bytes[0]);
  const sizeLength = lengthOfVint(bytes[idLength]);
  if (idLength === 0 || idLength > 4 || sizeLength === 0 || bytes.length < idLength + sizeLength) return null;
  const id = toNumber(bytes.subarray(0, idLength));
  const size = readVint(bytes.subarray(idLength, idLength + sizeLength));
  return { id, end: at + idLength + sizeLength + size };
}

/** Without the bit that marks its length. All ones means that the length is not known. */
function readVint(marked: Uint8Array): number {
  const mask = 0xff >> marked.length;
  const bytes = marked.map((byte, index) => (index === 0 ? byte & mask : byte));
  const isUnknown = bytes.every((byte, index) => byte === (index === 0 ? mask : 0xff));
  return isUnknown ? Number.POSITIVE_INFINITY : toNumber(bytes);
}

function lengthOfVint(first: number | undefined): number {
  return first === undefined || first === 0 ? 0 : Math.clz32(first) - 23;
}

function toNumber(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
