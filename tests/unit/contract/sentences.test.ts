import { describe, expect, test } from 'vitest';
import * as confirmations from '#contract/confirmations.ts';
import { errorStatuses } from '#contract/entities/error-reply.ts';
import * as failures from '#contract/failures.ts';
import * as notices from '#contract/notices.ts';
import { readCode, rowsOf } from './specification.ts';

const { messageOf, ...failureSentences } = failures;
const coded: Record<string, Sentence> = { ...failureSentences, ...namedApart(confirmations), ...notices };
const rows = rowsOf(8, 'Name', 'Where', 'Sentence');

describe('the sentences of §8', () => {
  test('are the exports of the code, by name', () => {
    const specified = rows.map((row) => row.Name!);
    const exported = [...Object.keys(failureSentences), ...Object.keys(confirmations), ...Object.keys(notices)];

    expect(specified.sort()).toEqual(exported.sort());
  });

  test.each(rows)('$Name reads "$Sentence"', ({ Name, Sentence }) => {
    const isQuestion = Sentence!.includes('Are you sure');
    const sentence = coded[isQuestion ? `${Name}?` : Name!];

    expect(said(sentence, Sentence!)).toBe(Sentence);
  });

  test.each([
    ['(?:start-)?failures', failureSentences],
    ['confirmations', confirmations],
    ['notices', notices],
  ])('are all said by the code outside of the tables: %s', (file, sentences) => {
    const used = new Set(readCode().flatMap((text) => namesUsed(text, file)));

    const unsaid = Object.keys(sentences).filter((name) => !used.has(name));
    // Three other lines stand in its place.
    expect(unsaid.filter((name) => name !== 'noVideosAvailable')).toEqual([]);
  });

  test('end with the words of the error, whatever was thrown', () => {
    expect(failures.loadTags(new TypeError('no network'))).toBe('Failed to load tags: no network');
    expect(failures.loadTags('out of reach')).toBe('Failed to load tags: out of reach');
    expect(messageOf(404)).toBe('404');
  });
});

test.each(Object.entries(coded).filter(([, sentence]) => typeof sentence === 'function'))(
  '%s speaks of one thing as of one',
  (_, sentence) => {
    const one = (sentence as (...parts: unknown[]) => string)(1, 1, 'name', 'message');
    expect(one).not.toMatch(/\(s\)/);
    expect(one).not.toMatch(/\b1 (of 1 )?(\w+ing )?(files|videos|tags|channels|jobs|changes|are|have)\b(?! is\b)/);
  },
);

test('the error codes of §8 travel with the statuses of the code', () => {
  const specified = Object.fromEntries(rowsOf(8, 'Code', 'Status').map((row) => [row.Code, Number(row.Status)]));

  expect(specified).toEqual(errorStatuses);
});

type Sentence = string | ((...parts: never[]) => string);

/** The exports of a file of the contract that a text imports by name, or reads from `import * as`. */
function namesUsed(text: string, file: string): string[] {
  const imported = new RegExp(`import \\{([^}]*)\\} from '#contract/${file}\\.ts'`, 'g');
  const named = [...text.matchAll(imported)].flatMap(([, names = '']) => names.split(','));
  const [, whole] = new RegExp(`import \\* as (\\w+) from '#contract/${file}\\.ts'`).exec(text) ?? [];
  const read = whole === undefined ? [] : [...text.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, 'g'))];
  return [...named.map((name) => name.trim().split(' as ')[0] ?? ''), ...read.map(([, name = '']) => name)];
}

/** Questions and failures share names (`deleteTags`): the questions carry a mark here. */
function namedApart(questions: Record<string, Sentence>): Record<string, Sentence> {
  return Object.fromEntries(Object.entries(questions).map(([name, sentence]) => [`${name}?`, sentence]));
}

/** A sentence with the specification's own placeholders put in, in their order. */
function said(sentence: Sentence | undefined, pattern: string): string | undefined {
  if (typeof sentence !== 'function') return sentence;
  const placeholders = pattern.match(/\{\w+\}/g) ?? [];
  return sentence(...(placeholders as never[]));
}
