/**
 * File names are bytes; paths in the database and on the wire are text. Valid UTF-8 stays as it is. Every other byte
 * becomes one character of U+10FF00 to U+10FFFF, which nobody uses; a name that does use them has them taken apart in
 * the same way, so that the way back is exact.
 */
const escapeBase = 0x10ff00;
const escapes = /[\u{10ff00}-\u{10ffff}]/gu;

export function textFromName(name: Buffer): string {
  const text = name.toString('utf8');
  if (!text.includes('\ufffd') && text.search(escapes) === -1) return text;
  return [...sequencesOf(name)].map(textFromSequence).join('');
}

export function nameFromText(text: string): Buffer {
  if (text.search(escapes) === -1) return Buffer.from(text);
  return Buffer.concat(Array.from(text, (character) => nameFromCharacter(character)));
}

/** Whether a name has bytes that are no text. */
export function hasEscapedBytes(text: string): boolean {
  return text.search(escapes) !== -1;
}

/** The path of a file below a folder, for the file system: text as long as all of it is UTF-8, which is quicker. */
export function filePathOf(folder: string, path: string): string | Buffer {
  const file = path === '' ? folder : `${folder}/${path}`;
  return file.search(escapes) === -1 ? file : Buffer.concat([Buffer.from(`${folder}/`), nameFromText(path)]);
}

function nameFromCharacter(character: string): Buffer {
  const code = character.codePointAt(0) ?? 0;
  return code >= escapeBase ? Buffer.of(code - escapeBase) : Buffer.from(character);
}

/** One UTF-8 character each, or one byte where there is none. */
function* sequencesOf(name: Buffer): Generator<Buffer> {
  for (let at = 0; at < name.length; ) {
    const length = lengthOfCharacter(name, at);
    yield name.subarray(at, at + length);
    at += length;
  }
}

/** 1 also where the bytes are no character. */
function lengthOfCharacter(name: Buffer, at: number): number {
  for (const length of [2, 3, 4]) {
    const sequence = name.subarray(at, at + length);
    if (sequence.length === length && isOneCharacter(sequence)) return length;
  }
  return 1;
}

function isOneCharacter(sequence: Buffer): boolean {
  const text = sequence.toString('utf8');
  return [...text].length === 1 && Buffer.from(text).equals(sequence);
}

function textFromSequence(sequence: Buffer): string {
  const text = sequence.toString('utf8');
  const isPlain = Buffer.from(text).equals(sequence) && text.search(escapes) === -1;
  return isPlain ? text : Array.from(sequence, (byte) => String.fromCodePoint(escapeBase + byte)).join('');
}
