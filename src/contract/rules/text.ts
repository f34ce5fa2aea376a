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

/**
 * Control and format characters, lone surrogates, line separators, and letters that are drawn as nothing: what is shown
 * is not what is there.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F|\u17B4|\u17B5/u;
const allHidden = new RegExp(hidden.source, 'gu');

/**
 * Joiners that change how a name is drawn: inside emoji, and between letters of Arabic script (Persian spelling needs
 * them).
 */
const drawnJoiners =
  /([\p{Emoji_Presentation}\p{Emoji_Modifier}]|\uFE0F)\u200D(?=[\p{Emoji_Presentation}\u2190-\u2BFF])|(\p{Script=Arabic})\u200C(?=\p{Script=Arabic})/gu;

/** Whether anything in the text is not seen. For addresses. */
export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/** The same for the names of people and things, which may hold joiners where these are drawn. */
export function hasHiddenInName(name: string): boolean {
  return hidden.test(name.replace(drawnJoiners, '$1$2'));
}

/** What is left of a name that others sent, without what is not seen. */
export function cleanName(name: string): string {
  return hasHiddenInName(name) ? name.replace(allHidden, '').trim() : name.trim();
}

/**
 * Whether two addresses are the same mailbox: byte for byte but for ASCII capitals. Other letters that look or compare
 * alike may be somebody else's.
 */
export function isSameAddress(one: string, other: string): boolean {
  return lowerAscii(one) === lowerAscii(other);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
