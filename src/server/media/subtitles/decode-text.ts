import { isUtf8 } from 'node:buffer';

/**
 * The text of a subtitle file, which nothing but its bytes tells the encoding of: by its byte order mark, else UTF-8
 * where it is that, else UTF-16 where every other byte of the beginning is zero, else windows-1252, which most old
 * files are in.
 */
export function decodeText(bytes: Buffer): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // The first characters of any subtitle file are digits or `WEBVTT`.
  if (bytes.length >= 2 && first !== 0 && second === 0) return 'utf-16le';
  if (bytes.length >= 2 && first === 0 && second !== 0) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}
