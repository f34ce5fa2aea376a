import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskSpace } from '#server/storage/disk-space.ts';
import { Store } from '#server/storage/stores/store.ts';
import { reasonOf } from '#server/storage/stores/store-calls.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

test('a start that waited in vain for its store says which one, why nothing came, and what to see to', async () => {
  const [port, dataFolder, clock] = [await findFreePort(), temporaryFolder(), settableClock()];
  const place = { url: `s3://key@127.0.0.1:${port}/bucket/site?tls=off`, secret: 'of the key' };
  const env = { cacheBytes: 0, dataFolder, delivery: { kind: 'server' } } as const;
  const store = new Store(place, { cacheFolder: join(dataFolder, 'cache'), env, diskSpace: new DiskSpace() });
  const said: string[] = [];
  const claiming = store.claim({
    site: 'own',
    clock,
    log: { warn: (words: string) => said.push(words) },
    wait: async () => clock.pass(31_000),
  });
  await expect(claiming).rejects.toThrow(
    `STORAGE_URL leads to a store that cannot be used. The store does not answer (connect ECONNREFUSED 127.0.0.1:${port}). See that it runs, and that this machine reaches http://127.0.0.1:${port}/bucket/site/.`,
  );
  expect(said).toEqual(['the store does not answer; it is waited for, for up to 30 seconds']);
  expect(store.facts().lastFailure).toContain('ECONNREFUSED');
});

test.each([
  [new TypeError('fetch failed', { cause: new Error('self-signed certificate') }), 'self-signed certificate'],
  [new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) }), 'ECONNREFUSED'],
  [new DOMException('This operation was aborted', 'AbortError'), 'nothing came in time'],
  ['odd', 'odd'],
])('why nothing came from an address is read from what caused it: %s', (error, words) => {
  expect(reasonOf(error)).toBe(words);
});
