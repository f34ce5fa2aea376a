import { nameKey } from '#contract/rules/text.ts';

/*
 * A file name is found by parts of three characters, and by the one or two characters that a word of it begins with.
 * The latter are stored behind a blank, which no part of three has in it.
 */

const partLength = 3;
/** Letters and digits; what else stands between them ends a word. */
const wordCharacter = /[\p{L}\p{N}]/u;
/** Scripts without blanks between words: each character may begin one. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const blank = /\s/u;
/** Beyond ASCII a character can be of more than one UTF-16 unit, or of more than one kind. */
const plain = /^[ -~]*$/;
const plainWordCharacter = /[a-z0-9]/;

/** More words, or parts of one, make a search no finer. */
const maxWords = 8;
const maxPartsOfWord = 12;

/** A name as it is searched in. */
export class SearchableName {
  readonly text: string;

  constructor(name: string) {
    this.text = nameKey(name);
  }

  /** What it is stored under; each once. */
  grams(): Set<string> {
    const characters = splitCharacters(this.text);
    const grams = new Set<string>();
    for (let at = 0; at + partLength <= characters.length; at += 1) {
      const part = `${characters[at]}${characters[at + 1]}${characters[at + 2]}`;
      if (!blank.test(part)) grams.add(part);
    }
    for (const at of findWordStarts(characters)) {
      grams.add(` ${characters[at]}`);
      if (at + 1 < characters.length) grams.add(` ${characters[at]}${characters[at + 1]}`);
    }
    return grams;
  }

  has({ text, isShort }: SearchWord): boolean {
    // A name that does not have it anywhere has it at no beginning: most need not be taken apart.
    if (!this.text.includes(text)) return false;
    if (!isShort) return true;
    const characters = splitCharacters(this.text);
    return findWordStarts(characters).some((at) =>
      characters
        .slice(at, at + partLength)
        .join('')
        .startsWith(text),
    );
  }
}

/** A word that somebody looks for. */
export interface SearchWord {
  text: string;
  /** Of one or two characters: names are meant in which a word begins with it. */
  isShort: boolean;
}

/** The words of a search, all of which a name has to have. Signs alone say nothing, unless there are three of them. */
export function readWords(search: string): SearchWord[] {
  const words = new Set(nameKey(search).split(/\s+/u));
  return [...words]
    .map((text) => ({ text, isShort: Array.from(text).length < partLength }))
    .filter(({ text, isShort }) => (isShort ? Array.from(text).some(isOfWord) : true))
    .slice(0, maxWords);
}

/** What every name with this word is stored under. */
export function gramsOf({ text, isShort }: SearchWord): string[] {
  if (isShort) return [` ${text}`];
  const characters = Array.from(text).slice(0, maxPartsOfWord + partLength - 1);
  const parts = characters.length - partLength + 1;
  return Array.from({ length: parts }, (_, at) => characters.slice(at, at + partLength).join(''));
}

function splitCharacters(text: string): string[] {
  return plain.test(text) ? text.split('') : Array.from(text);
}

function findWordStarts(characters: readonly string[]): number[] {
  const starts: number[] = [];
  let isInside = false;
  for (const [at, character] of characters.entries()) {
    const isWord = isOfWord(character);
    if (isWord && (!isInside || (character > '~' && unspaced.test(character)))) starts.push(at);
    isInside = isWord;
  }
  return starts;
}

function isOfWord(character: string): boolean {
  return character <= '~' ? plainWordCharacter.test(character) : wordCharacter.test(character);
}
