import { afterAll, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';

const server = await startServer({}, afterAll);
const admin = await putPerson(server, 'keeper', 'admin');

async function storeRemovedTags(count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  await server.services.database.write(async (transaction) => {
    for (let from = 0; from < count; from += 1_000) {
      const rows = numbers.slice(from, from + 1_000).map((number) => ({
        id: `removed-${number}`,
        name: `Removed ${number}`,
        name_key: `removed ${number}`,
        description: '',
        color: limits.tagColor,
        active: 0 as const,
        created_at: 0,
      }));
      await transaction.insertInto('tags').values(rows).execute();
    }
  });
}

const create = (name: string) => server.call('POST', '/api/tags', { headers: admin.headers, payload: { name } });

const importTags = (text: string, dry_run: boolean) =>
  server.call('POST', '/api/admin/tags/import', {
    headers: admin.headers,
    payload: { filename: 'tags.csv', format: 'csv', text, dry_run },
  });

test('a site has a bound of channels, removed ones included, for people and for imports', async () => {
  await storeRemovedTags(limits.siteTags - 2);
  const refusal = { error: 'conflict', message: 'A site can have at most 20000 channels.' };
  for (const dry_run of [true, false]) {
    const tooMany = await importTags('tag\nOne\nTwo\nThree\n', dry_run);
    expect([tooMany.statusCode, tooMany.json()]).toEqual([409, refusal]);
  }
  expect((await create('One')).statusCode).toBe(201);
  expect((await create('Two')).statusCode).toBe(201);
  const tooMany = await create('Three');
  expect([tooMany.statusCode, tooMany.json()]).toEqual([409, refusal]);
});
