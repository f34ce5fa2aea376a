import type { FileWindow } from '#contract/rules/file-windows.ts';
import { shortenWindow } from '#contract/rules/file-windows.ts';

/** What a `Range` header asks for: the whole, one range of it, or something that the file does not have. */
export type RangeAnswer = { kind: 'whole' } | { kind: 'part'; window: FileWindow } | { kind: 'unsatisfiable' };

const whole: RangeAnswer = { kind: 'whole' };
const unsatisfiable: RangeAnswer = { kind: 'unsatisfiable' };

/**
 * Reads a `Range` header by RFC 9110 section 14. Units other than bytes are ignored, as the RFC wants it. Several
 * ranges are answered with the whole: multipart answers multiply work for whoever asks in bad faith. What cannot be
 * read as a range is not satisfiable.
 * @param size of the file in bytes
 * @param piece most bytes of one answer; only ranges are shortened, never the whole
 */
export function readByteRange(header: string | undefined, size: number, piece?: number): RangeAnswer {
  if (header === undefined) return whole;
  const [, unit, spec] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(header) ?? [];
  if (unit?.toLowerCase() !== 'bytes' || spec === undefined || spec.includes(',')) return whole;
  const window = readSpec(spec.trim(), size);
  if (window === null) return unsatisfiable;
  return { kind: 'part', window: piece === undefined ? window : shortenWindow(window, piece) };
}

/** `Content-Range` of a 206. */
export function contentRange(window: FileWindow, size: number): string {
  return `bytes ${window.start}-${window.end}/${size}`;
}

function readSpec(spec: string, size: number): FileWindow | null {
  const [, firstDigits, lastDigits] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (firstDigits === undefined || lastDigits === undefined) return null;
  if (firstDigits === '') return lastDigits === '' ? null : suffixOf(readOffset(lastDigits), size);
  const start = readOffset(firstDigits);
  const end = lastDigits === '' ? size - 1 : Math.min(readOffset(lastDigits), size - 1);
  return start >= size || end < start ? null : { start, end };
}

function suffixOf(length: number, size: number): FileWindow | null {
  return length === 0 || size === 0 ? null : { start: Math.max(0, size - length), end: size - 1 };
}

/** Beyond 2^53 digits lose their meaning; no file is that long, so infinity says the same. */
function readOffset(digits: string): number {
  const offset = Number(digits);
  return Number.isSafeInteger(offset) ? offset : Number.POSITIVE_INFINITY;
}
