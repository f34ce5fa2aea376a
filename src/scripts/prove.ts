// Runs every floor of proof one after the other, all of them even when one fails, and closes with one line that sums them up.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from './build-stamp.ts';

interface Outcome {
  passed: number;
  failed: number;
}

interface Step {
  name: string;
  /** Names the budget that the step counts against. */
  floor: string;
  command: string[];
  /** Where a test runner leaves its counts; a step without one counts as a single proof. */
  report?: { file: string; read: (report: never) => Outcome };
}

const reports = join(projectFolder, '.build', 'reports');
const minutes = 60;
/** Seconds a floor may take on two cores. */
const budgets: Record<string, number> = {
  check: 2 * minutes,
  unit: minutes,
  'server on SQLite': 2 * minutes,
  'server on PostgreSQL': 2 * minutes,
  journeys: 7 * minutes,
};
const wholeBudget = 15 * minutes;

const rooms = [
  'src/contract',
  'src/device',
  'src/app',
  'src/server',
  'src/scripts',
  'src/demo',
  'sw',
  'tests',
  'tests/unit/app',
  'tests/ui',
  'tests/unit/worker',
  'tests/e2e',
];

const readVitest = (report: { numPassedTests: number; numFailedTests: number }): Outcome => ({ passed: report.numPassedTests, failed: report.numFailedTests });
const readPlaywright = ({ stats }: { stats: { expected: number; unexpected: number; flaky: number } }): Outcome => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky,
});

function vitest(floor: string, file: string, ...projects: string[]): Step {
  const report = join(reports, file);
  const command = [
    'vitest',
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  return { name: floor, floor, command, report: { file: report, read: readVitest } };
}

const steps: Step[] = [
  { name: 'format and lint', floor: 'check', command: ['biome', 'ci', '.'] },
  ...rooms.map((room) => ({ name: `types of ${room}`, floor: 'check', command: ['tsc', '-p', room] })),
  { name: 'boundaries', floor: 'check', command: ['node', 'src/scripts/check-boundaries.ts'] },
  { name: 'homes', floor: 'check', command: ['node', 'src/scripts/check-homes.ts'] },
  { name: 'styles', floor: 'check', command: ['node', 'src/scripts/check-styles.ts'] },
  { name: 'build', floor: 'check', command: ['node', 'src/scripts/build-when-stale.ts'] },
  { name: 'engine floor', floor: 'check', command: ['node', 'src/scripts/check-engines.ts'] },
  { name: 'byte budget', floor: 'check', command: ['node', 'src/scripts/check-bytes.ts'] },
  vitest('unit', 'unit.json', 'unit', 'ui'),
  vitest('server on SQLite', 'server-sqlite.json', 'server-sqlite'),
  vitest('server on PostgreSQL', 'server-postgres.json', 'server-postgres'),
  {
    name: 'journeys',
    floor: 'journeys',
    command: ['playwright', 'test', '--config', 'tests/playwright.config.ts'],
    report: { file: join(reports, 'e2e.json'), read: readPlaywright },
  },
];

/** Ends with the command's own status; what it prints goes straight to the terminal. */
function run([command = '', ...args]: string[]): Promise<number> {
  return new Promise((resolve) => {
    spawn(command, args, { cwd: projectFolder, stdio: ['ignore', 'inherit', 'inherit'] })
      .on('exit', (code) => resolve(code ?? 1))
      .on('error', () => resolve(127));
  });
}

/** A runner that ends badly without naming a failed test, or that ran none, has failed all the same. */
async function prove({ command, report }: Step): Promise<Outcome> {
  if (report) await rm(report.file, { force: true });
  const status = await run(command);
  if (!report) return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 };
  const counted = await readFile(report.file, 'utf8').then(
    (text) => report.read(JSON.parse(text) as never),
    () => ({ passed: 0, failed: 0 }),
  );
  const hasFailedSilently = counted.failed === 0 && (status !== 0 || counted.passed === 0);
  return hasFailedSilently ? { ...counted, failed: 1 } : counted;
}

const { values } = parseArgs({ options: { without: { type: 'string', multiple: true, default: [] } } });
await mkdir(reports, { recursive: true });
const began = performance.now();
const floors = new Map<string, Outcome & { seconds: number }>();
const failedSteps: string[] = [];

for (const step of steps.filter(({ floor }) => !values.without.includes(floor))) {
  const start = performance.now();
  console.log(`\n── ${step.name}`);
  const { passed, failed } = await prove(step);
  if (failed > 0) failedSteps.push(step.name);
  const before = floors.get(step.floor) ?? { passed: 0, failed: 0, seconds: 0 };
  floors.set(step.floor, { passed: before.passed + passed, failed: before.failed + failed, seconds: before.seconds + (performance.now() - start) / 1000 });
}

const total = (performance.now() - began) / 1000;
console.log('');
for (const [floor, { passed, failed, seconds }] of floors) {
  const budget = budgets[floor] ?? wholeBudget;
  const remark = seconds > budget ? `  OVER ITS BUDGET of ${budget} s` : '';
  console.log(`${floor.padEnd(22)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(1).padStart(7)} s${remark}`);
}
console.log(`${'all of it'.padEnd(22)} ${total.toFixed(1).padStart(31)} s${total > wholeBudget ? `  OVER ITS BUDGET of ${wholeBudget} s` : ''}`);
if (failedSteps.length > 0) console.log(`\nFailed: ${failedSteps.join(', ')}`);

const all = [...floors.values()];
const passed = all.reduce((sum, floor) => sum + floor.passed, 0);
const failed = all.reduce((sum, floor) => sum + floor.failed, 0);
const closing = `${passed} passed, ${failed} failed`;
await writeFile(join(reports, 'closing-line.txt'), `${closing}\n`);
console.log(`\n${closing}`);
process.exitCode = failed === 0 ? 0 : 1;
