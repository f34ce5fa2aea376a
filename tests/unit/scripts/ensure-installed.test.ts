import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
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
