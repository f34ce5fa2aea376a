import { nameKey } from '#contract/rules/text.ts';

/*
 * The texts of a video are indexed by their parts of three characters, and by the first one or two characters
 * of each word. The latter are stored after a space, which no part of three contains.
 */

/** The columns of `videos` that `searchText` reads. */
export const searchedColumns = [
  'filename',
  'found_title',
  'found_description',
  'edited_title',
  'edited_description',
] as const;

export type SearchedTexts = Record<Exclude<(typeof searchedColumns)[number], 'filename'>, string | null> & {
  filename: string;
};

/** Everything that a video is found by, in lines: no part and no word extends over two of them. */
export function searchText(texts: SearchedTexts): string {
  const title = texts.edited_title ?? texts.found_title ?? '';
  const description = texts.edited_description ?? texts.found_description ?? '';
  return `${texts.filename}\n${title}\n${description}`.trimEnd();
}

const partLength = 3;
/** Letters and digits. Any other character ends a word. */
const wordCharacter = /[\p{L}\p{N}]/u;
/** Scripts without spaces between words: each character can start a word. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const blank = /\s/u;
/**
 * Printable ASCII. Other characters can have more than one UTF-16 unit, and need the full test for
 * word characters.
 */
const plain = /^[ -~]*$/;
const plainWordCharacter = /[a-z0-9]/;

/** Further words, or parts of one word, do not narrow a search. */
const maxWords = 8;
const maxPartsOfWord = 12;

/** A name in the form that searches compare. */
export class SearchableName {
  readonly text: string;

  constructor(name: string) {
    this.text = nameKey(name);
  }

  /** The distinct parts that index the name. */
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
    // A name that does not contain the text has no word starting with it. This rules out most names
    // without splitting them.
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

/** A word of a search. */
export interface SearchWord {
  text: string;
  /** Whether it has one or two characters. It then matches only the start of a word. */
  isShort: boolean;
}

/**
 * The words of a search, all of which a name must have. Punctuation alone counts only from three
 * characters on.
 */
export function readWords(search: string): SearchWord[] {
  const words = new Set(nameKey(search).split(/\s+/u));
  return [...words]
    .map((text) => ({ text, isShort: Array.from(text).length < partLength }))
    .filter(({ text, isShort }) => (isShort ? Array.from(text).some(isOfWord) : true))
    .slice(0, maxWords);
}

/** The index parts of every name that contains the word. */
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
