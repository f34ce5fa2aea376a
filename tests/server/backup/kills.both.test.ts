import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { backUp, restore } from '#tests/support/backup/commands.ts';
import { archiveName, describeSite, emptyPlace, smallPlace } from '#tests/support/backup/site.ts';
import { soakCases } from '#tests/support/soak.ts';

async function run(script: string, ...args: string[]): Promise<unknown[]> {
  const file = fileURLToPath(new URL(`../../support/processes/${script}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  return once(child, 'exit');
}

const killed = [null, 'SIGKILL'];

const points: [what: string, number: number][] = [
  ['statement', 40],
  ['disk', 6],
  ['disk', 30],
  ['disk', 48],
];

test.each(soakCases(points, 3))(
  'a restore that is killed at %s %i is undone by the next one, or found to be whole',
  async (what, number) => {
    const [from, to, file] = [await smallPlace(), await emptyPlace(), archiveName()];
    await backUp(from, file);
    expect(await run('restoring-process.ts', file, JSON.stringify(to), what, String(number))).toEqual(killed);
    expect(existsSync(join(to.dataFolder, 'restoring'))).toBe(true);
    await restore(file, to).catch((error: Error) => expect(error.message).toMatch(/had put everything into its place/));
    expect(existsSync(join(to.dataFolder, 'restoring'))).toBe(false);
    expect((await describeSite(to)).rows.users).toEqual((await describeSite(from)).rows.users);
    expect((await describeSite(to)).files).toEqual((await describeSite(from)).files);
  },
);

test('a backup that is killed leaves no archive, and the next one is made', async () => {
  const [place, file] = [await smallPlace(), archiveName()];
  expect(await run('backing-up-process.ts', JSON.stringify(place), file, '3')).toEqual(killed);
  expect(readdirSync(dirname(file))).toEqual([expect.stringMatching(/^site\.tar\.gz\.\d+\.partial$/)]);
  await backUp(place, file);
  expect(existsSync(file)).toBe(true);
});

test('two restores into one place do not meet', async () => {
  const [from, to, file] = [await smallPlace(), await emptyPlace(), archiveName()];
  await backUp(from, file);
  const ends = await Promise.allSettled([restore(file, to), restore(file, to)]);
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await describeSite(to)).rows.users).toEqual((await describeSite(from)).rows.users);
});
