import { expect, test } from 'vitest';
import { kindNames } from '#app/features/admin/job-words.ts';
import type { PosterTools } from '#server/features/videos/posters.ts';
import { posterKinds } from '#server/features/videos/posters.ts';
import { startEncoding } from '#tests/support/media/encoding-server.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

test('administrators read a title for each kind of work that the server does', async () => {
  const { services } = await startEncoding(temporaryFolder(), { BACKUP_DIR: temporaryFolder() });
  const posters = posterKinds(services as unknown as PosterTools);
  const kinds = new Set([...services.jobs.kinds(), ...posters].map(({ kind }) => kind));
  expect([...kindNames.keys()].sort()).toEqual([...kinds].sort());
  expect(new Set(kindNames.values()).size).toBe(kindNames.size);
});
