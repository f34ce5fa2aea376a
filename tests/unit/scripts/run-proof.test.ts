import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Proof } from '#scripts/proof-floors.ts';
import { floors, runProof } from '#scripts/proof-floors.ts';
import type { Outcome } from '#scripts/test-reports.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const none: Outcome = { passed: 0, failed: 0, skipped: 0, failures: [] };

/** A runner that leaves these counts, or no report at all, and ends with this status. */
function proofBy(counts: Outcome | null, status: number): Proof {
  const file = join(temporaryFolder(), 'report.json');
  const leaving =
    counts === null
      ? ''
      : `require('fs').writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(JSON.stringify(counts))});`;
  return {
    name: 'a runner',
    command: ['node', '-e', `${leaving} process.exit(${status})`],
    report: { file, read: (report: Outcome) => report },
  };
}

test.each([
  ['passes', 0, { ...none, passed: 1 }],
  ['fails', 3, { ...none, failed: 1 }],
])('a proof without a report counts as one test when it %s', async (_, status, outcome) => {
  expect(await runProof({ name: 'a check', command: ['node', '-e', `process.exit(${status})`] }, false)).toEqual(
    outcome,
  );
});

test.each([
  ['what it counted', { ...none, passed: 4, failed: 2, skipped: 1 }, 1, { ...none, passed: 4, failed: 2, skipped: 1 }],
  ['a failure when it names none and ends badly', { ...none, passed: 4 }, 1, { ...none, passed: 4, failed: 1 }],
  ['a failure when it ran nothing', none, 0, { ...none, failed: 1 }],
  ['a failure when it leaves no report', null, 0, { ...none, failed: 1 }],
])('a runner of tests comes to %s', async (_, counts, status, outcome) => {
  expect(await runProof(proofBy(counts, status), false)).toEqual(outcome);
});

test('a program that is not there has failed', async () => {
  expect(await runProof({ name: 'a check', command: ['no-such-program'] }, false)).toEqual({ ...none, failed: 1 });
});

test('every project of tests belongs to a floor, or to the soak', () => {
  const named = floors
    .flat()
    .flatMap(({ stages }) => stages.flat())
    .flatMap(({ command }) => command.filter((_, at) => command[at - 1] === '--project'));
  const inFile = (file: string, pattern: RegExp) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name]) => name);
  const servers = inFile('vite.config.ts', /\bserverFloor\('(\w+)'\)/g).map((name) => `server-${name}`);
  const journeys = inFile('tests/playwright.config.ts', /\{ name: '([\w-]+)', test/g);
  const projects = [...inFile('vite.config.ts', /\bfloor\('(\w+)'/g), ...servers, ...journeys];
  const soaked = inFile('tests/soak.ts', /'--project=([\w-]+)'/g);
  expect([...new Set([...named, ...soaked])].sort()).toEqual(projects.sort());
});
