import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';

/**
 * An element of RFC 8794: from `start` to before `end` is its content. `end` is infinite where its length was not
 * known.
 */
export interface Element {
  id: number;
  start: number;
  end: number;
}

/**
 * RFC 8794 sections 5 and 6. Null at the end.
 * @throws HeaderFault for bytes that are no element
 */
export function readElement(file: ByteWindow, at: number, limit: number): Element | null {
  if (at >= limit) return null;
  file.step();
  const idLength = lengthOf(file.u8(at), 4);
  const sizeAt = at + idLength;
  const sizeLength = lengthOf(file.u8(sizeAt), 8);
  const start = sizeAt + sizeLength;
  return { id: readNumber(file, at, idLength), start, end: start + readSize(file, sizeAt, sizeLength) };
}

/** A number with its length in it, as blocks have that of their track. */
export function readVint(file: ByteWindow, at: number): { value: number; length: number } {
  const length = lengthOf(file.u8(at), 8);
  return { value: readNumber(file, at, length, 0xff >> length), length };
}

/** By the zeros before the first one. */
function lengthOf(first: number, most: number): number {
  const length = Math.clz32(first) - 23;
  if (length > most) throw new HeaderFault('damaged');
  return length;
}

/** Without the bit that marks its length. All ones mean that it is not known. */
function readSize(file: ByteWindow, at: number, length: number): number {
  const size = readNumber(file, at, length, 0xff >> length);
  return size >= 2 ** (7 * length) - 1 ? Number.POSITIVE_INFINITY : size;
}

/** @param mask which bits of the first byte count */
function readNumber(file: ByteWindow, at: number, length: number, mask = 0xff): number {
  let value = length === 0 ? 0 : file.u8(at) & mask;
  for (let byte = 1; byte < length; byte += 1) value = value * 256 + file.u8(at + byte);
  return value;
}

/** The elements inside of one, cut to it. */
export function* elementsIn(file: ByteWindow, parent: Element): Generator<Element> {
  const limit = Math.min(parent.end, file.size);
  let at = parent.start;
  for (;;) {
    const element = readElement(file, at, limit);
    if (element === null) return;
    at = element.end;
    yield element;
  }
}

/** An unsigned number of up to eight bytes. */
export function readUnsigned(file: ByteWindow, { start, end }: Element): number {
  if (end - start > 8) throw new HeaderFault('damaged');
  return readNumber(file, start, end - start);
}

/** Half or full precision; nothing at all means zero. */
export function readFloat(file: ByteWindow, { start, end }: Element): number {
  if (end === start) return 0;
  if (end - start === 4) return file.f32(start);
  if (end - start === 8) return file.f64(start);
  throw new HeaderFault('damaged');
}

/** Text ends with its element, or before it with a zero. Of a long one only the beginning is given. */
export function readText(file: ByteWindow, { start, end }: Element): string {
  return file.text(start, Math.min(end - start, 64)).replace(/\0.*$/s, '');
}
