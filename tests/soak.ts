/*
 * `npm run soak [-- [name …] [--seed N]]`: the checks that take too long for `npm test`. Runs every step, all of them
 * even when one fails. With a seed, the fault soaks try the sample that `npm test` tried with it, not every point.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figures } from './bench/bench.ts';

/** One program that has to end by itself, without an error. */
interface Step {
  readonly name: string;
  /** Relative to this folder. */
  readonly script: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Longer than the longest step takes on a busy machine. */
const limitMs = 60 * 60_000;
const linesShown = 25;

const { values, positionals: asked } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } });

/** The tests with injected faults, kills, cuts and full disks (`support/soak.ts`), the longest first. */
const soakTests = {
  postgres: [
    'site/history',
    'backup/faults',
    'site/rolling-restarts',
    'channels/given-away',
    'storage/store-uploads',
    'site/last-release',
    'backup/kills',
    'database/migration-cuts',
    'feed/killed-rounds',
    'id-sets/id-sets-cuts',
    'library/library-faults',
    'uploads/faults',
    'uploads/kills',
  ],
  sqlite: [
    'channels/given-away',
    'uploads/kills',
    'uploads/faults',
    'uploads/power-cuts',
    'storage/store-uploads',
    'backup/faults',
    'database/migration-cuts',
    'backup/kills',
    'database/damage',
    'encodings/kills',
    'feed/killed-rounds',
    'feed/round-draws',
    'id-sets/id-sets-cuts',
    'library/library-faults',
    'library/many-duplicates',
  ],
};

const sample = values.seed === undefined ? { SOAK: 'all' } : { SOAK_SEED: values.seed };

/** A step for each file on each of its databases. */
const faultSoaks: Step[] = (['postgres', 'sqlite'] as const).flatMap((database) =>
  soakTests[database].map((file) => ({
    name: `${file.replace('/', '-')}-${database}`,
    script: '../node_modules/vitest/vitest.mjs',
    arguments: ['run', '--project', `server-${database}`, `tests/server/${file}.`],
    environment: sample,
  })),
);

/** Runs every bench once on little data: the step proves that it runs, and its figures do not count. */
const benches: Step[] = Object.keys(figures).map((name) => ({
  name,
  script: 'bench/bench.ts',
  arguments: [name],
  environment: { BENCH_FORM: 'short' },
}));

/** Journeys with more kills, larger files and more kinds of devices than in `npm test`. */
const journeys: Step[] = ['few-decoders', 'saved-cuts', 'saved-room'].map((name) => ({
  name,
  script: '../node_modules/@playwright/test/cli.js',
  arguments: ['test', '--config', 'tests/playwright.config.ts', '--project=desktop', `/${name}.test.ts`],
  environment: sample,
}));

const otherProjects: Step[] = [
  {
    name: 'venue-update',
    script: '../node_modules/@playwright/test/cli.js',
    arguments: ['test', '--config', 'tests/playwright.config.ts', '--project=soak', '--repeat-each=5'],
    environment: {},
  },
  {
    name: 'few-decoders-old-chromium',
    script: '../node_modules/@playwright/test/cli.js',
    arguments: ['test', '--config', 'tests/playwright.config.ts', '--project=old-chromium', '/few-decoders.test.ts'],
    environment: sample,
  },
];

const cores = availableParallelism();

/**
 * Groups that follow each other, with how many steps of one run at once: tests with faults wait for disks and other
 * processes most of their time, and journeys bring workers of their own.
 */
const groups: readonly { readonly steps: readonly Step[]; readonly atOnce: number }[] = [
  { steps: faultSoaks, atOnce: 2 * cores },
  { steps: [...journeys, ...otherProjects], atOnce: 1 },
  { steps: benches, atOnce: cores },
];
const names = groups.flatMap(({ steps }) => steps.map(({ name }) => name));

/** @returns null, or the last lines that a step has written before it failed */
async function findFailure(step: Step): Promise<string | null> {
  const script = fileURLToPath(new URL(step.script, import.meta.url));
  const child = spawn(process.execPath, [script, ...step.arguments], {
    env: { ...process.env, ...step.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => written.push(text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code === 0) return null;
  const lines = written.join('').trimEnd().split('\n').slice(-linesShown);
  return [...lines, signal === null ? `It ended with code ${code}.` : `It was ended by ${signal}.`].join('\n');
}

const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`No step is called ${unknown.join(', ')}. There are: ${names.join(', ')}.`);

let ran = 0;
let failed = 0;

async function run(step: Step): Promise<void> {
  const began = performance.now();
  const failure = await findFailure(step);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${step.name.padEnd(24)} ${seconds.padStart(7)} s  ${failure === null ? 'ran' : 'FAILED'}`);
  if (failure === null) ran += 1;
  else failed += 1;
  // It is said at once: the run may be stopped before its end.
  if (failure !== null) console.log(`\n${step.name}:\n${failure}\n`);
}

for (const { steps, atOnce } of groups) {
  const waiting = steps.filter(({ name }) => asked.length === 0 || asked.includes(name));
  const runAll = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await run(step);
  };
  await Promise.all(Array.from({ length: atOnce }, runAll));
}

console.log(`\n${ran} ran, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
