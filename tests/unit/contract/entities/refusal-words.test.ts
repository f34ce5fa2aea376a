import { expect, test } from 'vitest';
import { z } from 'zod';
import { plainWords } from '#contract/entities/error-reply.ts';
import { importEntities } from '../import-entities.ts';

const garbage = [undefined, null, {}, [], [{}], [[]], '', 'zzz', -1.5, Number.NaN, true];

/** Requests ignore what they do not know; replies are strict, and no person reads why one was refused. */
const requests = (await readSchemas()).filter(([, schema]) => schema.def.catchall === undefined);

test('the requests are found', () => {
  expect(requests.length).toBeGreaterThan(35);
});

test.each(requests)('whatever stands in %s, a refusal is in plain words', (_name, schema) => {
  const bodies = [
    ...garbage,
    ...Object.keys(schema.shape).flatMap((field) => garbage.map((value) => ({ [field]: value }))),
  ];
  const sentences = bodies
    .flatMap((body) => schema.safeParse(body, { error: plainWords }).error?.issues ?? [])
    .map((issue) => issue.message);

  expect(
    new Set(sentences.filter((sentence) => /invalid|expected|received|too (small|big)|option/i.test(sentence))),
  ).toEqual(new Set());
});

test.each<[sentence: string, schema: z.ZodType, input: unknown]>([
  ['This is required', z.string(), undefined],
  ['This must be text', z.string(), 12],
  ['This must be a number', z.number(), 'twelve'],
  ['This must be a whole number', z.int(), 1.5],
  ['This must be true or false', z.boolean(), 'yes'],
  ['This must be a list', z.array(z.string()), {}],
  ['This must be an object', z.object({}), 'text'],
  ['This cannot be read', z.date(), 'today'],
  ['This must be one of asc, desc', z.enum(['asc', 'desc']), 'up'],
  ['This must be a time like 2026-01-31T12:00:00Z', z.iso.datetime(), 'today'],
  ['This must be at least 1', z.number().min(1), 0],
  ['This must be more than 0', z.number().positive(), 0],
  ['This must be at most 9', z.number().max(9), 10],
  ['This is too long', z.string().max(3), 'four'],
  ['This is too long', z.array(z.number()).max(1), [1, 2]],
])('a refusal without a rule of its own reads "%s"', (sentence, schema, input) => {
  expect(schema.safeParse(input, { error: plainWords }).error!.issues[0]!.message).toBe(sentence);
});

test('a sentence of a rule goes before plain words', () => {
  const schema = z.string({ error: 'Username is required' });

  expect(schema.safeParse(undefined, { error: plainWords }).error!.issues[0]!.message).toBe('Username is required');
});

async function readSchemas(): Promise<[string, z.ZodObject][]> {
  const schemas = Object.entries(await importEntities());
  return schemas.filter((entry): entry is [string, z.ZodObject] => entry[1] instanceof z.ZodObject);
}
