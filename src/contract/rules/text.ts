/** Characters as a person counts them: one for a letter outside the basic plane too. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Whether it has more characters than that; those of a text that is far too long are not counted. */
export function hasMoreCharacters(text: string, most: number): boolean {
  // At most two UTF-16 units each.
  return text.length > 2 * most || countCharacters(text) > most;
}

/** Whether it has more bytes in UTF-8 than that; those of a text that is far too long are not counted. */
export function hasMoreBytes(text: string, most: number): boolean {
  return text.length > most || countBytes(text) > most;
}

/** Bytes of the text in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function countBytes(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + bytesOf(character.codePointAt(0) ?? 0), 0);
}

/** What two names share that differ in case or in Unicode form only: the key of their uniqueness. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
