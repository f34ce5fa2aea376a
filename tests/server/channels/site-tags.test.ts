import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const admin = await putPerson(server, 'keeper', 'admin');

async function storeTags(count: number, active: 0 | 1): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  await server.services.database.write(async (transaction) => {
    for (let from = 0; from < count; from += 1_000) {
      const rows = numbers.slice(from, from + 1_000).map((number) => ({
        id: `stored-${active}-${number}`,
        name: `Stored ${active} ${number}`,
        name_key: `stored ${active} ${number}`,
        description: '',
        color: limits.tagColor,
        active,
        created_at: 0,
      }));
      await transaction.insertInto('tags').values(rows).execute();
    }
  });
}

const create = (name: string, { headers } = admin) => server.call('POST', '/api/tags', { headers, payload: { name } });

const importTags = (text: string, dry_run: boolean) =>
  server.call('POST', '/api/admin/tags/import', {
    headers: admin.headers,
    payload: { filename: 'tags.csv', format: 'csv', text, dry_run },
  });

test('somebody who is no administrator creates 200 channels a day, and an administrator as many as there is room for', async () => {
  const ada = await putPerson(server, 'ada');
  const bob = await putPerson(server, 'bob');
  const keyed = { name: 'create-tag', windowMs: 86_400_000 };
  for (let made = 0; made < limits.dailyTags - 1; made += 1)
    await server.services.accounts.rateLimits.consume({
      name: keyed.name,
      holder: ada.id,
      policy: { kind: 'window', most: limits.dailyTags, windowMs: keyed.windowMs },
    });
  expect((await create('The last of today', ada)).statusCode).toBe(201);
  const refused = await create('One too many', ada);
  expect([refused.statusCode, refused.json().error]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600);
  expect((await create('Of somebody else', bob)).statusCode).toBe(201);
  expect((await create('Of an administrator')).statusCode).toBe(201);
  await server.services.database.write((transaction) => transaction.deleteFrom('tags').execute());
});

test('a site has a bound of channels for people and for imports; removed ones without videos leave their room', async () => {
  await storeTags(limits.siteTags, 0);
  await storeTags(limits.siteTags - 2, 1);
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

test('after a change, all channels of a site are read some at a time', async () => {
  const all = vi.spyOn(Object.getPrototypeOf(new Sqlite(':memory:').prepare('select 1')), 'all');
  onTestFinished(() => all.mockRestore());
  await server.services.database.write((transaction) => bumpRevision(transaction, 'tags'));
  expect((await server.get('/api/tags')).json()).toMatchObject({ total: limits.siteTags });
  const lengths = all.mock.results.map(({ value }) => (Array.isArray(value) ? value.length : 0));
  expect(Math.max(...lengths)).toBe(1_000);
});
