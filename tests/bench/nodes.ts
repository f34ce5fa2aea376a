import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isShort } from './form.ts';
import type { Figures } from './nodes/check-history.ts';
import { printAmounts } from './table.ts';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const file = 'tests/server/site/history.';
const test = 'keeps what it has acknowledged';

/**
 * A site on three nodes for ten minutes, while nodes are killed, frozen, cut off and restarted, and what its history says
 * (`SOAK_SEED`). It is a test, which needs the database and the store of tests.
 */
export async function measureNodes(): Promise<void> {
  const args = [vitest, 'run', '--project', 'server-postgres', file, '-t', test];
  const env = { ...process.env, ...(isShort ? {} : { SOAK: 'all' }) };
  const run = promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 24 });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const [, seed, text] = /SOAK_SEED=(\d+)\): (\{.*\})/.exec(stdout) ?? [];
  if (text === undefined) throw new Error(`There is no history:\n${stdout}`);
  const figures = JSON.parse(text) as Figures;
  printAmounts(`A site on three nodes, ${figures.calls} calls under ${figures.faults} faults, seed ${seed}`, [
    { what: 'broken promises', value: figures.violations, unit: '', goal: 0, floor: 0 },
    {
      what: 'calls without an answer',
      value: (100 * figures.unanswered) / figures.calls,
      unit: '%',
      goal: 5,
      floor: 25,
    },
    { what: 'the oldest pick of a deleted video', value: figures.oldestPick, unit: 'ms', goal: 2_000, floor: 30_000 },
    { what: 'an ended session at the latest', value: figures.oldestSession, unit: 'ms', goal: 2_000, floor: 30_000 },
  ]);
}
