import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { confinements } from '#tests/support/confinements.ts';
import type { CompiledFile } from '#tests/support/processes/launching-process.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../../../../support/processes/launching-process.ts', import.meta.url));

// Not in this process: it keeps its compiled code where those of all other tests do.
test.each(confinements)(
  'what confines by $kind stores its compiled code once, and leaves nothing else',
  (confinement) => {
    const args = [script, JSON.stringify(confinement), temporaryFolder()];
    const output = execFileSync(process.execPath, args, { env: {}, encoding: 'utf8' });
    const runs = JSON.parse(output) as { end: string; compiled: CompiledFile[] }[];
    expect(runs.map(({ end }) => end)).toEqual(['ended', 'ended', 'ended']);
    // The launcher that waited for the second program may have been writing when the first one ended.
    const [stored, again] = runs.slice(1).map(({ compiled }) => compiled);
    expect(stored?.length !== 0).toBe(confinement.kind === 'landlock');
    expect(again).toEqual(stored);
    expect(stored?.filter(({ bytes }) => bytes === 0)).toEqual([]);
  },
);
