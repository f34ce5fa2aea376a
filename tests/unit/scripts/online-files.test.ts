import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BuildManifest } from '#scripts/online-files.ts';
import { listOnlineFiles, onlineModules } from '#scripts/online-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const adminScreen = 'src/app/features/admin/admin-screen.tsx';
const plansDialog = 'src/app/features/profile/plans-dialog.tsx';

/** Each of the modules has a file of its own; two of them share something with another screen. */
function makeManifest(): BuildManifest {
  const alone = Object.fromEntries(
    onlineModules.map((module, at) => [module, { file: `alone-${at}.js`, isDynamicEntry: true }]),
  );
  return {
    ...alone,
    'index.html': { file: 'index.js', isEntry: true, dynamicImports: [...onlineModules, 'profile'] },
    profile: { file: 'profile.js', imports: ['_card'], css: ['profile.css'] },
    _card: { file: 'card.js', css: ['card.css'] },
    [adminScreen]: { file: 'admin.js', isDynamicEntry: true, imports: ['_card'], dynamicImports: ['people'] },
    people: { file: 'people.js', imports: ['_card', '_table'], css: ['people.css'] },
    _table: { file: 'table.js' },
    [plansDialog]: { file: 'plans.js', isDynamicEntry: true, imports: ['_card'], css: ['plans.css'] },
  };
}

async function listOf(manifest: BuildManifest): Promise<string[]> {
  const folder = temporaryFolder();
  await mkdir(join(folder, '.vite'));
  await writeFile(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
  return [...(await listOnlineFiles(folder))].sort();
}

test('what needs the server is not kept, but for what it shares with other screens', async () => {
  const files = await listOf(makeManifest());
  expect(files.filter((file) => !file.startsWith('alone-'))).toEqual([
    'admin.js',
    'people.css',
    'people.js',
    'plans.css',
    'plans.js',
    'table.js',
  ]);
  expect(files.filter((file) => file.startsWith('alone-'))).toHaveLength(onlineModules.length - 2);
});

test('a module that was moved, or has no file of its own any more, ends the build', async () => {
  const { [plansDialog]: plans, ...moved } = makeManifest();
  await expect(listOf(moved)).rejects.toThrow(plansDialog);
  await expect(listOf({ ...moved, [plansDialog]: { file: 'drawing.js' } })).rejects.toThrow(plansDialog);
});
