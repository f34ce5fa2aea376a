import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listAdminFiles } from '#scripts/admin-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('what the administration shares with other screens is kept, and what it loads for itself alone is not', async () => {
  const folder = temporaryFolder();
  await mkdir(join(folder, '.vite'));
  const manifest = {
    'index.html': {
      file: 'index.js',
      isEntry: true,
      dynamicImports: ['src/app/features/admin/admin-screen.tsx', 'profile'],
    },
    profile: { file: 'profile.js', imports: ['_card'], css: ['profile.css'] },
    _card: { file: 'card.js', css: ['card.css'] },
    'src/app/features/admin/admin-screen.tsx': { file: 'admin.js', imports: ['_card'], dynamicImports: ['people'] },
    people: { file: 'people.js', imports: ['_card', '_table'], css: ['people.css'] },
    _table: { file: 'table.js' },
  };
  await writeFile(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
  expect([...(await listAdminFiles(folder))].sort()).toEqual(['admin.js', 'people.css', 'people.js', 'table.js']);
});
