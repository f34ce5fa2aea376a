import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { findConfinement } from '#server/media/sandbox/find-confinement.ts';
import { confinements, hasLandlock, unconfined } from '#tests/support/confinements.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

function create() {
  const parent = join(temporaryFolder(), 'work');
  return { folders: createWorkFolders(parent, systemClock), leftOver: () => readdirSync(parent) };
}

test('this machine has a sandbox to prove: without Landlock in its kernel it needs the package bubblewrap', () => {
  expect(confinements).not.toEqual([]);
});

describe('a sandbox is looked for', () => {
  test('and Landlock is taken where the kernel has it, bubblewrap where it is installed, else none', async () => {
    const { folders, leftOver } = create();
    const [best = { kind: 'none' }] = confinements;
    expect((await findConfinement(folders)).kind).toBe(best.kind);
    expect(hasLandlock).toBe(best.kind === 'landlock');
    expect(leftOver()).toEqual([]);
  });

  test('and one that shows more than the input is not taken', async () => {
    const { folders } = create();
    expect((await findConfinement(folders, [unconfined])).kind).toBe('none');
    expect((await findConfinement(folders, [unconfined, ...confinements])).kind).toBe(confinements[0]?.kind ?? 'none');
  });
});
