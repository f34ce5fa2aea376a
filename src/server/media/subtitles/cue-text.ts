import { limits } from '#contract/limits.ts';

/** Characters of a cue that are looked at, tags included: enough for `cueCharacters` of them with a tag at each word. */
const sourceCharacters = limits.cueCharacters * 8;

const keptTags: readonly string[] = ['b', 'i', 'u'];
/** A tag, a time stamp inside a cue, a comment; what stands behind a `<` like `<3` is text. */
const markup = /<(?:[a-z!?/]|\d+:)[^<>]*>/gi;
/** Where to show it and how, in the words of ASS, which tools leave in SRT: `{\an8}`. */
const override = /\{\\[^{}]*\}/g;
/** C0 and C1 but for tab and line feed. */
const controlCharacters = /[^\P{Cc}\t\n]/gu;

/**
 * Text of a cue as WebVTT has it: what is no plain emphasis is left out, and no character can begin a tag or an entity.
 * @param source as SRT or WebVTT has it
 * @returns empty when there is nothing to read
 */
export function cleanCueText(source: string): string {
  const text = source.slice(0, sourceCharacters).replace(controlCharacters, '').replace(override, '');
  const writer = new CueTextWriter();
  let at = 0;
  for (const match of text.matchAll(markup)) {
    writer.write(text.slice(at, match.index));
    writer.writeTag(match[0]);
    at = match.index + match[0].length;
  }
  writer.write(text.slice(at));
  return writer.finish();
}

class CueTextWriter {
  private readonly open: string[] = [];
  private parts: string[] = [];
  private characters = 0;
  private hasText = false;

  write(source: string): void {
    const characters = Array.from(readEntities(source)).slice(0, limits.cueCharacters - this.characters);
    this.characters += characters.length;
    const text = characters.join('').toWellFormed();
    if (text.trim() !== '') this.hasText = true;
    this.parts.push(escapeText(text));
  }

  /** What is not kept goes, and leaves what stood between its tags. */
  writeTag(tag: string): void {
    const name = /^<\/?([a-z]+)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined || !keptTags.includes(name)) return;
    if (!tag.startsWith('</')) {
      if (this.open.includes(name)) return;
      this.open.push(name);
      this.parts.push(`<${name}>`);
    } else if (this.open.at(-1) === name) {
      this.parts.push(`</${name}>`);
      this.open.pop();
    }
  }

  finish(): string {
    if (!this.hasText) return '';
    for (const name of this.open.reverse()) this.parts.push(`</${name}>`);
    // A blank line would end the cue.
    const lines = this.parts.join('').split('\n');
    return lines
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': '\u00a0',
  '&lrm;': '\u200e',
  '&rlm;': '\u200f',
  '&quot;': '"',
  '&#39;': "'",
};

function readEntities(source: string): string {
  return source.replace(/&(?:amp|lt|gt|nbsp|lrm|rlm|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
