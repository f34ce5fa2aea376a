import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { headings } from './specification.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const references = ['src', 'sw'].flatMap(readReferences);

test('the specification has the nine sections', () => {
  expect([...headings.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('every reference to the specification leads to a heading', () => {
  expect(references.length).toBeGreaterThan(30);
  expect(
    references.filter((reference) => !leadsSomewhere(reference)).map(({ file, text }) => `${file}: ${text}`),
  ).toEqual([]);
});

interface Reference {
  file: string;
  text: string;
  section: number;
  words: string;
}

/** `§4 Quadrant` names a heading with its capital; what goes on in small letters is the comment's own sentence. */
function leadsSomewhere({ section, words }: Reference): boolean {
  const known = headings.get(section) ?? [];
  return known.length > 0 && (!/^[A-Z]/.test(words) || known.some((heading) => words.startsWith(heading)));
}

function readReferences(folder: string): Reference[] {
  const files = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  return files.flatMap((file) => {
    const source = readFileSync(`${root}${folder}/${file}`, 'utf8');
    return [...source.matchAll(/§(\d+)(?: ([^\n]{0,60}))?/g)].map((match) => ({
      file: `${folder}/${file}`,
      text: match[0],
      section: Number(match[1]),
      words: match[2] ?? '',
    }));
  });
}
