import { describe, expect, test } from 'vitest';
import { bubblewrapArguments } from '#server/media/sandbox/confinement.ts';
import { systemFolders } from '#server/media/sandbox/find-confinement.ts';
import { runSandboxed } from '#server/media/sandbox/sandbox.ts';
import { confinements } from '#tests/support/confinements.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** No machine lacks it, and no sandbox shows it by itself. It stands for a device that encodes. */
const device = '/dev/full';
const limits = { seconds: 240, processorSeconds: 10, memoryMegabytes: 500, outputBytes: 1_000, fileBytes: 1_000 };

describe.each(confinements)('confined by $kind', (confinement) => {
  const writesTo = async (devices: readonly string[]) => {
    const script = `head -c 4 ${device} >/dev/null && echo read; : >${device} && echo opened`;
    const end = await runSandboxed({
      program: '/bin/sh',
      args: ['-c', script],
      executable: systemFolders,
      folder: temporaryFolder(),
      limits,
      confinement,
      devices,
    });
    return end.kind === 'ended' ? end.output.toString() : end.kind;
  };

  test('a program has the devices that it was given', async () => {
    expect(await writesTo([device])).toBe('read\nopened\n');
  });

  test('a program has no other devices', async () => {
    expect(await writesTo([])).toBe('');
  });
});

test('a device that goes away in between ends nothing', () => {
  const args = bubblewrapArguments({
    program: '/a',
    executable: [],
    folder: '/b',
    hasInput: false,
    devices: ['/dev/x'],
  });
  expect(args.join(' ')).toContain('--dev-bind-try /dev/x /dev/x');
});
