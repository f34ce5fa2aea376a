/** Characters as people count them: a letter outside the basic plane counts as one. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Whether the text has more characters than `most`; a text that is far too long is not counted. */
export function hasMoreCharacters(text: string, most: number): boolean {
  // A character has at most two UTF-16 units.
  return text.length > 2 * most || countCharacters(text) > most;
}

/**
 * Whether the text has more UTF-8 bytes than `most`; a text that is far too long is not counted.
 */
export function hasMoreBytes(text: string, most: number): boolean {
  return text.length > most || countBytes(text) > most;
}

/** The text's UTF-8 bytes; a lone surrogate counts as the three bytes of its replacement. */
export function countBytes(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + bytesOf(character.codePointAt(0) ?? 0), 0);
}

/** The key by which names are unique: names that differ only in case or Unicode form share it. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/**
 * Control and format characters, lone surrogates, line separators, and letters that are drawn as
 * nothing: with them the text that is shown differs from the text that is stored.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|\u034F|\u17B4|\u17B5/u;
const allHidden = new RegExp(hidden.source, 'gu');

/**
 * Joiners that change how a name is drawn: inside emoji, and between letters of Arabic script
 * (Persian spelling needs them).
 */
const drawnJoiners =
  /([\p{Emoji_Presentation}\p{Emoji_Modifier}]|\uFE0F)\u200D(?=[\p{Emoji_Presentation}\u2190-\u2BFF])|(\p{Script=Arabic})\u200C(?=\p{Script=Arabic})/gu;

/** Whether the text has invisible characters. For email addresses. */
export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

/**
 * The same for names of people and things, which may contain joiners where they change the drawing.
 */
export function hasHiddenInName(name: string): boolean {
  return hidden.test(name.replace(drawnJoiners, '$1$2'));
}

/** A name from another source without its invisible characters. */
export function cleanName(name: string): string {
  return hasHiddenInName(name) ? name.replace(allHidden, '').trim() : name.trim();
}

/**
 * Whether two email addresses are the same mailbox: byte for byte except for ASCII capitals. Other
 * letters that look or compare alike may belong to someone else.
 */
export function isSameAddress(one: string, other: string): boolean {
  return lowerAscii(one) === lowerAscii(other);
}

/**
 * Applies a change that was made to an earlier state of a list: what it added or removed is added
 * or removed, and what others have added or removed since then stays so.
 * @param known the state that was changed; absent: `wanted` replaces the list
 */
export function rebaseList(
  current: readonly string[],
  wanted: readonly string[],
  known: readonly string[] = current,
): string[] {
  const kept = wanted.filter((one) => current.includes(one) || !known.includes(one));
  return [...kept, ...current.filter((one) => !known.includes(one) && !wanted.includes(one))];
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** A seek step as the settings show it: '30 seconds', '1 minute', '20m 30s' (§9). */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (rest > 0) return `${minutes}m ${rest}s`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/**
 * A position or a length in a video: '0:07', '2:51', '1:02:09'. Fractions of a second are dropped;
 * an unknown value reads '--:--'.
 */
export function clockText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '--:--';
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = twoDigits(whole % 60);
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${twoDigits(minutes)}:${rest}`;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
