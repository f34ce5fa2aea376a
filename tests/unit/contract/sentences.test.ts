import { describe, expect, test } from 'vitest';
import { confirmations } from '#contract/confirmations.ts';
import { errorStatuses } from '#contract/entities/error-reply.ts';
import { deviceFailures, failures, messageOf } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import { startFailures } from '#contract/start.ts';
import { readCode, rowsOf } from './specification.ts';

const tables = { startFailures, deviceFailures, failures, confirmations, notices };
const coded: Record<string, Sentence> = {
  ...startFailures,
  ...deviceFailures,
  ...failures,
  ...namedApart(confirmations),
  ...notices,
};
const rows = rowsOf(8, 'Name', 'Where', 'Sentence');

describe('the sentences of §8', () => {
  test('are the exports of the code, by name', () => {
    const specified = rows.map((row) => row.Name!);
    const exported = Object.values(tables).flatMap((sentences) => Object.keys(sentences));

    expect(specified.sort()).toEqual(exported.sort());
  });

  test.each(rows)('$Name reads "$Sentence"', ({ Name, Sentence }) => {
    const isQuestion = Sentence!.includes('Are you sure');
    const sentence = coded[isQuestion ? `${Name}?` : Name!];

    expect(said(sentence, Sentence!)).toBe(Sentence);
  });

  test.each(Object.entries(tables))('are all said by the code outside of the tables: %s', (table, sentences) => {
    const used = new Set(readCode().flatMap((text) => namesUsed(text, table)));

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

/** The sentences of a table that a text reads, if it imports the table. */
function namesUsed(text: string, table: string): string[] {
  if (!new RegExp(`import \\{[^}]*\\b${table}\\b[^}]*\\} from '#contract/`).test(text)) return [];
  return [...text.matchAll(new RegExp(`\\b${table}\\.(\\w+)`, 'g'))].map(([, name = '']) => name);
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
