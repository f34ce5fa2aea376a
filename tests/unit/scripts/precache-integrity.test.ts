import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addIntegrity } from '#scripts/precache-integrity.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('each file that the worker keeps has the SHA-256 of its bytes, hashed names as well', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'index-1a2b.js'), 'abc');
  const entries = [{ url: 'index-1a2b.js', revision: null }];
  // Of 'abc': FIPS 180-2, appendix B.1.
  const integrity = 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=';
  expect(await addIntegrity(folder, entries)).toEqual([{ url: 'index-1a2b.js', revision: null, integrity }]);
});

test('a file that is not there fails the build', async () => {
  await expect(addIntegrity(temporaryFolder(), [{ url: 'gone.js' }])).rejects.toThrow('ENOENT');
});
