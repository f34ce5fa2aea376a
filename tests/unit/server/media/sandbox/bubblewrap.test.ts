import { expect, test } from 'vitest';
import { confinedCommand } from '#server/media/sandbox/confinement.ts';

const confined = {
  program: '/opt/x/bin/ffmpeg',
  args: ['-i', 'x'],
  folder: '/data/tmp/a',
};

test('bubblewrap shows the program, its libraries and its input read-only, and the folder to write into', () => {
  const command = confinedCommand(
    { kind: 'bubblewrap' },
    { ...confined, executable: ['/opt/x/bin/../lib/a.so'], hasInput: true },
  );
  const bound = command.flatMap((word, at) => (/bind/.test(word) ? [command.slice(at, at + 3)] : []));
  expect(bound.filter(([word]) => word === '--bind')).toEqual([['--bind', '/data/tmp/a', '/data/tmp/a']]);
  expect(bound.filter(([word]) => word?.startsWith('--ro-bind'))).toEqual([
    ['--ro-bind-try', '/opt/x/bin/ffmpeg', '/opt/x/bin/ffmpeg'],
    ['--ro-bind-try', '/opt/x/lib/a.so', '/opt/x/lib/a.so'],
    ['--ro-bind', '/proc/self/fd/4', '/dev/fd/4'],
  ]);
  expect(command).toEqual(expect.arrayContaining(['--unshare-all', '--die-with-parent', '--remount-ro']));
  expect(command.slice(command.indexOf('--'))).toEqual(['--', '/opt/x/bin/ffmpeg', '-i', 'x']);
});

test('without an input bubblewrap shows none', () => {
  expect(confinedCommand({ kind: 'bubblewrap' }, { ...confined, executable: [], hasInput: false })).not.toContain(
    '/dev/fd/4',
  );
});
