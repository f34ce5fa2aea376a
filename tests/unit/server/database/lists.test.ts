import type { Kysely } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isDatabaseAway } from '#server/database/dialect.ts';
import { Lists } from '#server/database/replica.ts';
import type { Tables } from '#server/database/tables.ts';

test('a list that waits five seconds for the others fails as without a database, and is waited for no longer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const first = Promise.withResolvers<{ rows: unknown[] }>();
  const executeQuery = vi.fn().mockReturnValueOnce(first.promise).mockResolvedValue({ rows: [] });
  const primary = { executeQuery } as unknown as Kysely<Tables>;
  const lists = new Lists({ primary, connections: 2, readUrl: undefined, clock: { elapsed: () => 0 } });
  const read = () => lists.reader.selectFrom('settings').select('name').execute();
  const held = read();
  const late = read().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(lists.waitingCount).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect([isDatabaseAway(await late), lists.waitingCount]).toEqual([true, 0]);
  const next = read();
  await vi.advanceTimersByTimeAsync(0);
  first.resolve({ rows: [{ name: 'one' }] });
  expect([await held, await next]).toEqual([[{ name: 'one' }], []]);
  expect(executeQuery).toHaveBeenCalledTimes(2);
});
