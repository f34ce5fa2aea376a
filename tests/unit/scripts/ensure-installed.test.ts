import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '#scripts/build-stamp.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

test('whoever may not write into the project reads so, and waits for no other process', () => {
  const project = temporaryFolder();
  const script = join('src', 'scripts', 'ensure-installed.mjs');
  mkdirSync(join(project, 'src', 'scripts'), { recursive: true });
  for (const file of [script, 'package-lock.json']) copyFileSync(join(projectFolder, file), join(project, file));
  // Nobody can make a folder there, not even root.
  symlinkSync('/proc', join(project, '.build'));
  const { status, stderr } = spawnSync(process.execPath, [join(project, script)], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect(stderr).toContain(`dependencies are missing, and ${project} cannot be written to`);
  expect(status).toBe(1);
});

test('whoever may not build the app reads so in one line, and not where a call failed', () => {
  const project = temporaryFolder();
  for (const name of ['public', 'src', 'sw']) mkdirSync(join(project, name));
  for (const room of ['app', 'contract', 'device', 'scripts']) mkdirSync(join(project, 'src', room));
  for (const name of ['index.html', 'manifest.webmanifest', 'package-lock.json', 'package.json', 'vite.config.ts'])
    copyFileSync(join(projectFolder, name), join(project, name));
  for (const name of ['build.ts', 'build-stamp.ts', 'build-when-stale.ts'])
    copyFileSync(join(projectFolder, 'src', 'scripts', name), join(project, 'src', 'scripts', name));
  symlinkSync(join(projectFolder, 'node_modules'), join(project, 'node_modules'));
  // A file where the folder of what is built belongs: not even root can make one in it.
  writeFileSync(join(project, '.build'), '');
  const script = join(project, 'src', 'scripts', 'build-when-stale.ts');
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 120_000 });
  expect(stderr).toMatch(
    /^Fourfold: the app has to be built, and .* cannot be written to \(E[A-Z]+\)\. Run this .*\n$/,
  );
  expect(status).toBe(1);
});
