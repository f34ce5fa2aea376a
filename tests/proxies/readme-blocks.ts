import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** The block of this language in the README that holds the word. */
export function findBlock(language: string, word: string): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, name, text]) => name === language && text?.includes(word));
  if (found?.[2] === undefined) throw new Error(`The README has no ${language} with ${word}.`);
  return found[2];
}

/** Replaces what only a site of its own can say. @throws when the text does not have it */
export function replaceAll(
  text: string,
  replacements: readonly (readonly [what: RegExp | string, by: string])[],
): string {
  return replacements.reduce((before, [what, by]) => {
    const after = before.replace(what, by);
    if (after === before) throw new Error(`The README does not say ${what} any more.`);
    return after;
  }, text);
}
