import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listOnlineFiles } from '#scripts/online-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('what needs the server is not kept, but for what it shares with other screens', async () => {
  const folder = temporaryFolder();
  await mkdir(join(folder, '.vite'));
  const manifest = {
    'index.html': {
      file: 'index.js',
      isEntry: true,
      dynamicImports: ['src/app/features/admin/admin-screen.tsx', 'src/app/features/gate/news-text.tsx', 'profile'],
    },
    profile: { file: 'profile.js', imports: ['_card'], css: ['profile.css'] },
    _card: { file: 'card.js', css: ['card.css'] },
    'src/app/features/admin/admin-screen.tsx': { file: 'admin.js', imports: ['_card'], dynamicImports: ['people'] },
    people: { file: 'people.js', imports: ['_card', '_table'], css: ['people.css'] },
    _table: { file: 'table.js' },
    'src/app/features/gate/news-text.tsx': { file: 'news.js', imports: ['_card'], css: ['news.css'] },
  };
  await writeFile(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
  expect([...(await listOnlineFiles(folder))].sort()).toEqual([
    'admin.js',
    'news.css',
    'news.js',
    'people.css',
    'people.js',
    'table.js',
  ]);
});
