import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { programFiles, readLibraries, systemFolders } from '#server/media/sandbox/find-confinement.ts';
import { confinements, unconfined } from '#tests/support/confinements.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const folders = () => createWorkFolders(join(temporaryFolder(), 'work'), systemClock);

test('the libraries are those that the loader names', () => {
  const listed = [
    '\tlinux-vdso.so.1 (0x00007ffc0a9f6000)',
    '\tlibavcodec.so.59 => /lib/x86_64-linux-gnu/libavcodec.so.59 (0x00007f1e2a400000)',
    '\tlibgone.so => not found',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f1e2a9f8000)',
    'Usage: ffmpeg [options]',
  ];
  expect(readLibraries(listed.join('\n'))).toEqual([
    '/lib/x86_64-linux-gnu/libavcodec.so.59',
    '/lib64/ld-linux-x86-64.so.2',
  ]);
});

test.each(confinements)(
  'a program confined by $kind gets its own libraries first, a script all of the system',
  async (confinement) => {
    const [narrow = [], wide] = await programFiles('/bin/sh', confinement, folders());
    expect(narrow).not.toEqual([]);
    expect(narrow.every((file) => existsSync(file) && /\.so|ld-/.test(file))).toBe(true);
    expect(wide).toBe(systemFolders);
    expect(await programFiles(fakeTool(temporaryFolder(), 'exit 0'), confinement, folders())).toEqual([systemFolders]);
  },
);

test('a program without a sandbox needs no list', async () => {
  expect(await programFiles('/bin/sh', unconfined, folders())).toEqual([[]]);
});
