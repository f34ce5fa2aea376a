import { expect, test } from 'vitest';
import { z } from 'zod';
import { importEntities } from './import-entities.ts';
import { rowsOf } from './specification.ts';

test('the entities of §3 have the fields of the code, and the code has no other entity', async () => {
  const specified = Object.fromEntries(rowsOf(3, 'Schema', 'Fields').map((row) => [row.Schema, row.Fields]));

  expect(specified).toEqual(await fieldsInCode());
});

test.each(await objectSchemas())(
  '%s is strict where the server answers it, and open where somebody sends it',
  (name, schema) => {
    const parsed = schema.safeParse({ somethingElse: true });
    const refusesMore = parsed.error?.issues.some((issue) => issue.code === 'unrecognized_keys') ?? false;

    expect(refusesMore).toBe(!isRequest(name));
  },
);

/** Requests are named after the act or the question, replies after the thing. */
function isRequest(name: string): boolean {
  const requests =
    /(Query|Params|Update|Creation|Assignment|Change|Deletion|Acceptance|Approval|Poll|Question|Start|Completion|Descriptor|Report|Sample)Schema$/;
  const acts = [
    'sitePasswordSchema',
    'registrationSchema',
    'signInSchema',
    'signOutSchema',
    'refreshSchema',
    'upgradeSchema',
  ];
  return requests.test(name) || acts.includes(name);
}

async function fieldsInCode(): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await objectSchemas()).map(([name, schema]) => [name, Object.keys(schema.shape).join(', ')]),
  );
}

async function objectSchemas(): Promise<[string, z.ZodObject][]> {
  const schemas = Object.entries(await importEntities());
  return schemas.filter((entry): entry is [string, z.ZodObject] => entry[1] instanceof z.ZodObject);
}
