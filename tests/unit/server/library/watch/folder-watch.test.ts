import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { diskFiles } from '#server/features/library/library-files.ts';
import { createFolderWatch } from '#server/features/library/scan/library-watch.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

function open(maxFolders?: number) {
  const root = { number: 1, name: 'library', folder: temporaryFolder(), kind: 'folder' as const };
  const changed = new Set<string>();
  const watch = createFolderWatch({
    files: diskFiles,
    onChange: (_, path) => changed.add(path),
    ...(maxFolders === undefined ? {} : { maxFolders }),
  });
  onTestFinished(() => watch.close());
  return { root, changed, watch };
}

const seen = (changed: Set<string>, path: string) => vi.waitFor(() => expect([...changed]).toContain(path));

test('what comes, goes and is written to is told with its path below the root', async () => {
  const { root, changed, watch } = open();
  mkdirSync(join(root.folder, 'shows'));
  watch.cover(root, '');
  watch.cover(root, 'shows/');
  writeFileSync(join(root.folder, 'shows', 'a.mp4'), 'a');
  await seen(changed, 'shows/a.mp4');
  changed.clear();
  renameSync(join(root.folder, 'shows', 'a.mp4'), join(root.folder, 'b.mp4'));
  await seen(changed, 'shows/a.mp4');
  await seen(changed, 'b.mp4');
});

test('a folder that took the place of another is watched in its stead', async () => {
  const { root, changed, watch } = open();
  mkdirSync(join(root.folder, 'shows'));
  watch.cover(root, 'shows/');
  renameSync(join(root.folder, 'shows'), join(root.folder, 'before'));
  mkdirSync(join(root.folder, 'shows'));
  watch.cover(root, 'shows/');
  writeFileSync(join(root.folder, 'shows', 'new.mp4'), 'a');
  await seen(changed, 'shows/new.mp4');
  expect(watch.size).toBe(1);
});

test('folders that are gone are no longer watched', () => {
  const { root, watch } = open();
  mkdirSync(join(root.folder, 'shows/deep'), { recursive: true });
  for (const folder of ['', 'shows/', 'shows/deep/']) watch.cover(root, folder);
  rmSync(join(root.folder, 'shows'), { recursive: true });
  watch.uncover(root, 'shows');
  expect(watch.size).toBe(1);
});

test('beyond the limit nothing more is watched, and that is known', () => {
  const { root, watch } = open(1);
  mkdirSync(join(root.folder, 'shows'));
  watch.cover(root, '');
  expect(watch.isComplete).toBe(true);
  watch.cover(root, 'shows/');
  expect([watch.size, watch.isComplete]).toEqual([1, false]);
});
