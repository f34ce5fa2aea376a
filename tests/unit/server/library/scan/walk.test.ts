import { expect, test } from 'vitest';
import type { LibraryFiles } from '#server/features/library/library-files.ts';
import { comparePaths, diskFiles } from '#server/features/library/library-files.ts';
import { walkFolder, walkPlace } from '#server/features/library/scan/walk.ts';

test('a folder of 100,000 files and one folder below it is walked to its end, in the order of its paths', () => {
  const count = 100_000;
  const facts = { kind: 'file' as const, size: 1, modifiedUs: 1, inode: 1, device: '1' };
  // A prime step: the disk lists names in any order.
  const videos = Array.from({ length: count }, (_, index) => ({
    name: `video-${(index * 7_919) % count}.mp4`,
    kind: 'file' as const,
  }));
  const listed = [
    ...videos,
    { name: 'video-5', kind: 'folder' as const },
    { name: 'notes.txt', kind: 'file' as const },
  ];
  const files: LibraryFiles = {
    ...diskFiles,
    list: (folder) => (String(folder).endsWith('video-5/') ? [{ name: 'inside.mp4', kind: 'file' }] : listed),
    look: () => facts,
  };
  const paths = [...walkFolder({ files, root: '/library' })].map(({ path }) => path);
  expect([paths.length, new Set(paths).size]).toEqual([count + 1, count + 1]);
  expect(paths.every((path, index) => index === 0 || comparePaths(paths[index - 1] ?? '', path) < 0)).toBe(true);
  expect(paths).toContain('video-5/inside.mp4');
});

test('a folder that is left out is neither walked nor found by its path, and one beside it is', () => {
  const files: LibraryFiles = {
    ...diskFiles,
    list: (folder) =>
      String(folder) === '/library'
        ? ['films', 'films 2'].map((name) => ({ name, kind: 'folder' as const }))
        : [{ name: 'a.mp4', kind: 'file' }],
    look: (file) => {
      const kind = String(file).endsWith('.mp4') ? 'file' : 'folder';
      return { kind, size: 1, modifiedUs: 1, inode: 1, device: '1' };
    },
  };
  const walk = { files, root: '/library', leftOut: ['/library/films'] };
  expect([...walkFolder(walk)].map(({ path }) => path)).toEqual(['films 2/a.mp4']);
  expect([walkPlace(walk, 'films'), walkPlace(walk, 'films/a.mp4')]).toEqual([null, null]);
  expect(walkPlace(walk, 'films 2/a.mp4')).toMatchObject({ kind: 'file' });
  expect([...walkFolder({ ...walk, leftOut: ['/library'] })]).toEqual([]);
});

test('a walk says beside which videos there are files with a title or a description, and when they changed', () => {
  const names = ['a.mp4', 'a.nfo', 'b.mkv', 'b.nfo.txt', 'c.d.webm', 'c.d.info.json', 'e.mp4', 'e.mp4.nfo', 'f.mov'];
  names.push('c.d.nfo', 'g.mp4', 'g.nfo');
  const looked: string[] = [];
  const files: LibraryFiles = {
    ...diskFiles,
    list: () => names.map((name) => ({ name, kind: 'file' })),
    look: (path) => {
      looked.push(String(path));
      const isLink = String(path).endsWith('g.nfo');
      return { kind: isLink ? 'link' : 'file', size: 1, modifiedUs: String(path).length, inode: 1, device: '1' };
    },
  };
  const texts = [...walkFolder({ files, root: '/library' })].map((step) => [
    step.path,
    step.kind === 'file' ? step.textsUs : null,
  ]);
  expect(texts).toEqual([
    ['a.mp4', '/library/a.nfo'.length],
    ['b.mkv', null],
    ['c.d.webm', '/library/c.d.info.json'.length],
    ['e.mp4', null],
    ['f.mov', null],
    ['g.mp4', null],
  ]);
  // Nothing is asked about videos without such files.
  expect(looked).toHaveLength(6 + 4);
});
