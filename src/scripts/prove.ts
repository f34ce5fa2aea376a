// Runs all floors of tests, even when one fails, and ends with one line of counts.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Floor, Proof } from './proof-floors.ts';
import { floors, reportsFolder, runProof, wholeBudget } from './proof-floors.ts';
import type { Outcome } from './test-reports.ts';

interface Proven extends Outcome {
  floor: Floor;
  seconds: number;
}

type Result = Outcome & { name: string };

async function proveFloor(floor: Floor, isAlone: boolean): Promise<Proven> {
  const start = performance.now();
  const results: Result[] = [];
  for (const stage of floor.stages) results.push(...(await proveTogether(stage, isAlone)));
  const sum = (count: (result: Result) => number) => results.reduce((total, result) => total + count(result), 0);
  return {
    floor,
    seconds: secondsSince(start),
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    failures: results.filter(({ failed }) => failed > 0).flatMap(nameFailures),
    pages: results.flatMap(({ pages = [] }) => pages),
  };
}

/** Names the failed tests; a proof that names none is listed by its own name. */
const nameFailures = ({ name, failures }: Result) =>
  failures.length > 0 ? failures.map((failure) => `${name}: ${failure}`) : [name];

/** Runs as many proofs at once as there are cores. */
async function proveTogether(proofs: readonly Proof[], isAlone: boolean): Promise<Result[]> {
  const left = [...proofs];
  const results: Result[] = [];
  const work = async () => {
    for (let proof = left.shift(); proof !== undefined; proof = left.shift()) {
      results.push({ name: proof.name, ...(await runProof(proof, isAlone && proofs.length === 1)) });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

const maxPageLength = 4_000;

/** What the page of a failed journey showed, from the file in which the runner describes the failure. */
async function pageText(file: string): Promise<string> {
  const description = await readFile(file, 'utf8').catch(() => '');
  const [, rest = ''] = description.split('\n# Page snapshot\n');
  const [page = ''] = rest.split('\n# ');
  return page === '' ? '' : `\n${file}${page.slice(0, maxPageLength)}`;
}

const secondsSince = (start: number) => (performance.now() - start) / 1000;

function timeLine(seconds: number, budget: number): string {
  return `${seconds.toFixed(1).padStart(7)} s of ${String(budget).padStart(3)} s${seconds > budget ? '  OVER ITS BUDGET' : ''}`;
}

function floorLine({ floor, seconds, passed, failed, skipped }: Proven): string {
  const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed ${String(skipped).padStart(4)} skipped`;
  return `${floor.name.padEnd(16)} ${counts} ${timeLine(seconds, floor.budget)}`;
}

const { values } = parseArgs({
  options: { without: { type: 'string', multiple: true, default: [] }, seed: { type: 'string' } },
});
/** Selects the fault points that the sampled tests try. By default it changes once a day. */
const seed = values.seed ?? process.env.SOAK_SEED ?? String(Math.floor(Date.now() / 86_400_000));
process.env.SOAK_SEED = seed;
console.log(`The fault points are chosen by seed ${seed} (--seed ${seed} tries the same ones again).`);
await mkdir(reportsFolder, { recursive: true });
const began = performance.now();
const proven: Proven[] = [];
for (const row of floors) {
  const chosen = row.filter(({ name }) => !values.without.includes(name));
  proven.push(...(await Promise.all(chosen.map((floor) => proveFloor(floor, chosen.length === 1)))));
}

for (const file of proven.flatMap(({ pages = [] }) => pages)) console.log(await pageText(file));
console.log('');
for (const floor of proven) console.log(floorLine(floor));
console.log(`${'all of it'.padEnd(51)} ${timeLine(secondsSince(began), wholeBudget)}`);
const failures = proven.flatMap((floor) => floor.failures);
if (failures.length > 0) console.log(['', 'Failed:', ...failures].join('\n'));

const passed = proven.reduce((sum, floor) => sum + floor.passed, 0);
const failed = proven.reduce((sum, floor) => sum + floor.failed, 0);
const closing = `${passed} passed, ${failed} failed`;
await writeFile(join(reportsFolder, 'closing-line.txt'), `${closing}\n`);
console.log(`\n${closing}`);
process.exitCode = failed === 0 ? 0 : 1;
