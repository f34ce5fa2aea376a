import { readdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSandboxed } from '#server/media/sandbox/sandbox.ts';
import { confinements } from '#tests/support/confinements.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const limits = { seconds: 20, processorSeconds: 20, memoryMegabytes: 500, outputBytes: 1_000 };

test.each(confinements)(
  'what confines by $kind stores its compiled code once, and leaves nothing else',
  async (confinement) => {
    const { directory = '' } = enableCompileCache(temporaryFolder());
    const run = () => {
      const folder = temporaryFolder();
      return runSandboxed({ program: '/bin/true', args: [], executable: ['/'], folder, limits, confinement });
    };
    expect(await run()).toMatchObject({ kind: 'ended', code: 0 });
    const stored = readdirSync(directory).sort();
    expect(await run()).toMatchObject({ kind: 'ended', code: 0 });
    expect(readdirSync(directory).sort()).toEqual(stored);
    expect(stored.filter((name) => statSync(join(directory, name)).size === 0)).toEqual([]);
  },
);
