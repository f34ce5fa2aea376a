import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from './build-stamp.ts';
import type { Outcome } from './test-reports.ts';
import { readAbuse, readPlaywright, readVitest } from './test-reports.ts';

export interface Proof {
  name: string;
  command: string[];
  env?: Record<string, string>;
  /** Where a test runner leaves its counts; a proof without one counts as a single test. */
  report?: { file: string; read: (report: never) => Outcome };
}

export interface Floor {
  name: string;
  /** Seconds that it may take on two cores. */
  budget: number;
  /** Stages follow each other; the proofs of one stage may run side by side. */
  stages: Proof[][];
}

export const reportsFolder = join(projectFolder, '.build', 'reports');
const minutes = 60;
export const wholeBudget = 15 * minutes;

const rooms = [
  'tests/unit/app',
  'tests/ui',
  'tests/e2e',
  'tests',
  'src/app',
  'src/server',
  'tests/unit/worker',
  'tests/unit/device',
  'src/contract',
  'src/device',
  'src/scripts',
  'sw',
];

const script = (name: string, file: string): Proof => ({ name, command: ['node', `src/scripts/${file}`] });

/** The native compiler takes a third of the time. Its path is spelled out: both compilers call their program `tsc`. */
const nativeCompiler = 'node_modules/typescript-native/bin/tsc';

/** The compiler looks only at what has changed since the last run. */
function typesOf(room: string): Proof {
  const known = join(projectFolder, '.build', 'types', `${room.replaceAll('/', '-')}.tsbuildinfo`);
  const command = ['node', nativeCompiler, '-p', room, '--incremental', '--tsBuildInfoFile', known];
  return { name: `types of ${room}`, command };
}

function vitest(name: string, file: string, ...projects: string[]): Proof {
  const report = join(reportsFolder, file);
  const chosen = projects.flatMap((project) => ['--project', project]);
  const command = ['vitest', 'run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command, report: { file: report, read: readVitest } };
}

/**
 * The browsers in the npm registry exist for x64 Linux alone; elsewhere the journeys say that those of the oldest
 * engine are left out.
 */
const hasPackagedBrowsers = process.platform === 'linux' && process.arch === 'x64';

/**
 * What is proven is proven in the packaged browser, which every machine can have: a developer's own choice is left out.
 */
const browserChoice: Record<string, string> = hasPackagedBrowsers ? { CHROMIUM_PATH: '' } : {};

function playwright(name: string, file: string, ...projects: string[]): Proof {
  const report = join(reportsFolder, file);
  const command = [
    'playwright',
    'test',
    '--config',
    'tests/playwright.config.ts',
    ...projects.flatMap((project) => ['--project', project]),
  ];
  return {
    name,
    command,
    env: { ...browserChoice, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    report: { file: report, read: readPlaywright },
  };
}

/** The same attacks on every machine, without what depends on its speed. */
function abuse(): Proof {
  const report = join(reportsFolder, 'abuse.json');
  return {
    name: 'attacks',
    command: ['node', 'tests/abuse/abuse.ts', '--short', '--report', report],
    report: { file: report, read: readAbuse },
  };
}

const oldChromium: Floor = {
  name: 'old-chromium',
  budget: minutes,
  stages: [[playwright('journeys in Chromium 68 and 76', 'old-chromium.json', 'old-chromium')]],
};

/** The floors of one row run side by side: one of them keeps less than one core busy. */
export const floors: Floor[][] = [
  [
    {
      name: 'check',
      budget: 2 * minutes,
      stages: [
        [
          script('build', 'build-when-stale.ts'),
          { name: 'format and lint', command: ['biome', 'ci', '.'] },
          ...rooms.map(typesOf),
          script('boundaries', 'check-boundaries.ts'),
          script('homes', 'check-homes.ts'),
          script('shape', 'check-shape.ts'),
          { name: 'dead exports', command: ['knip', '--config', '.knip.json'] },
          script('styles', 'check-styles.ts'),
        ],
        [script('engine floor', 'check-engines.ts'), script('byte budget', 'check-bytes.ts')],
      ],
    },
  ],
  [
    { name: 'unit', budget: minutes, stages: [[vitest('unit', 'unit.json', 'unit', 'app', 'ui')]] },
    { name: 'system', budget: minutes, stages: [[vitest('programs and connections', 'system.json', 'system')]] },
  ],
  [
    {
      name: 'server-sqlite',
      budget: 2 * minutes,
      stages: [[vitest('server on SQLite', 'server-sqlite.json', 'server-sqlite')]],
    },
  ],
  [
    {
      name: 'server-postgres',
      budget: 2 * minutes,
      stages: [[vitest('server on PostgreSQL', 'server-postgres.json', 'server-postgres')]],
    },
  ],
  [{ name: 'journeys', budget: 7 * minutes, stages: [[playwright('journeys', 'e2e.json', 'desktop', 'phone', 'tv')]] }],
  [{ name: 'abuse', budget: 30, stages: [[abuse()]] }, ...(hasPackagedBrowsers ? [oldChromium] : [])],
];

/** Servers and threads start by the hundred: what one of them has compiled, the others need not. */
const compileCache = join(projectFolder, '.build', 'compile-cache');

/**
 * Runs one proof. What it prints goes straight to the terminal, or, where others run beside it, in one piece when it
 * has ended. A runner that ends badly without naming a failed test, or that ran none, has failed all the same.
 */
export async function runProof(proof: Proof, isAlone: boolean): Promise<Outcome> {
  const { name, report } = proof;
  if (report) await rm(report.file, { force: true });
  if (isAlone) console.log(`\n── ${name}`);
  const { status, said } = await run(proof, isAlone);
  if (!isAlone) process.stdout.write(`\n── ${name}\n${said}`);
  const hasEndedWell = status === 0;
  if (!report) return { passed: hasEndedWell ? 1 : 0, failed: hasEndedWell ? 0 : 1, skipped: 0, failures: [] };
  const counted = await readFile(report.file, 'utf8').then(
    (text) => report.read(JSON.parse(text) as never),
    () => ({ passed: 0, failed: 0, skipped: 0, failures: [] }),
  );
  const hasFailedSilently = counted.failed === 0 && (!hasEndedWell || counted.passed === 0);
  return hasFailedSilently ? { ...counted, failed: 1 } : counted;
}

function run(
  { command: [program = '', ...args], env }: Proof,
  isAlone: boolean,
): Promise<{ status: number; said: string }> {
  const output = isAlone ? 'inherit' : 'pipe';
  let said = '';
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: projectFolder,
      stdio: ['ignore', output, output],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    child
      .on('close', (code) => resolve({ status: code ?? 1, said }))
      .on('error', (error) => resolve({ status: 127, said: `${error.message}\n` }));
  });
}
