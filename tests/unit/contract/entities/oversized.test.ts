import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { plainWords } from '#contract/entities/error-reply.ts';
import { limits } from '#contract/limits.ts';
import { toErrorReply, toRefusal } from '#server/http/pipeline/errors.ts';
import { importEntities } from '../import-entities.ts';

const contract = new URL('../../../../src/contract/', import.meta.url);

/**
 * The bodies and queries of all calls, by the names that `endpoints.ts` gives them. The router bounds the parameters of
 * a path.
 */
const schemas = await readRequestSchemas();
const mebibyte = 1024 * 1024;
/** A file of this length is what the field is for. */
const files: Record<string, number> = { 'TagImportStart.text': limits.importCharacters };
const longTexts = [
  'a'.repeat(mebibyte),
  '\uFDFA'.repeat(mebibyte),
  '\u{1F3AC}'.repeat(mebibyte / 2),
  ' '.repeat(mebibyte),
  '9'.repeat(mebibyte),
  ','.repeat(mebibyte),
];

describe.each(schemas)('%s', (name, schema) => {
  const fields = Object.entries(schema.shape);

  test('refuses what is too large in few words', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fields), oversized(), ([field], value) => {
        const error = problemsOf(schema, { [field]: value });
        if (error !== undefined) expectFewWords(error);
      }),
      { numRuns: 60 },
    );
  });

  test('accepts no text and no list without an end', () => {
    for (const [field] of fields) {
      const file = files[`${name}.${field}`];
      const texts = file === undefined ? longTexts : ['a'.repeat(file + 1)];
      for (const value of [...texts, Array.from({ length: 100_000 }, (_, place) => `id-${place}`)]) {
        const error = problemsOf(schema, { [field]: value });
        expect([field, error?.issues.some(({ path }) => path[0] === field)]).toEqual([field, true]);
      }
    }
  });

  test('knows that a list is too long without a look at what is in it', () => {
    for (const [field] of fields) {
      const { list, reads } = countedList(500_000);
      const error = problemsOf(schema, { [field]: list });
      expect([field, error === undefined]).toEqual([field, false]);
      expect(reads()).toBeLessThanOrEqual(limits.blockedTags);
    }
  });
});

test('all calls that take something are there', () => {
  expect(schemas.length).toBeGreaterThanOrEqual(30);
});

test('lists inside of something are bounded, too', () => {
  const { list, reads } = countedList(500_000);
  const profile = schemas.find(([name]) => name === 'ProfileUpdate')![1];
  expectFewWords(problemsOf(profile, { settings: { blocked_tag_ids: list } })!);
  expect(reads()).toBe(0);
});

/** A list that counts how often one of its elements is read. */
function countedList(length: number): { list: unknown[]; reads: () => number } {
  let count = 0;
  const list = new Proxy(new Array(length).fill(7), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) count += 1;
      return Reflect.get(target, key);
    },
  });
  return { list, reads: () => count };
}

function oversized(): fc.Arbitrary<unknown> {
  const list = (element: unknown) =>
    fc.integer({ min: 1, max: 20_000 }).map((length) => new Array(length).fill(element));
  const sample = Object.fromEntries(
    ['timestamp', 'dropped_frames', 'total_frames', 'filename', 'file_size'].map((field) => [field, []]),
  );
  return fc.oneof(fc.constantFrom(...longTexts), list(7), list({}), list('x'.repeat(100)), list(sample));
}

function problemsOf(schema: z.ZodType, input: unknown): z.ZodError | undefined {
  return schema.safeParse(input, { error: plainWords }).error;
}

function expectFewWords(error: z.ZodError): void {
  const reply = toErrorReply(toRefusal(error), 'request');
  expect(reply.details).toHaveProperty('length');
  expect((reply.details as unknown[]).length).toBeLessThanOrEqual(limits.refusedFieldsTold);
  expect(JSON.stringify(reply).length).toBeLessThan(16_384);
}

async function readRequestSchemas(): Promise<[string, z.ZodObject][]> {
  const source = readFileSync(new URL('endpoints.ts', contract), 'utf8');
  const names = new Set([...source.matchAll(/\b(?:query|body): ([A-Z]\w+)/g)].map((match) => match[1]!));
  const all = await importEntities();
  return [...names].map((name) => {
    const schema = all[`${name[0]!.toLowerCase()}${name.slice(1)}Schema`];
    if (!(schema instanceof z.ZodObject)) throw new Error(`There is no schema of ${name}.`);
    return [name, schema];
  });
}
