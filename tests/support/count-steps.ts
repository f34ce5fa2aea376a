import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector';
import { countRegexSteps } from './regex-steps.ts';

/*
 * What the functions of the platform take is no code of ours that could be counted: each is charged what it looks at.
 */

type Charge = (given: string | { length: number }, args: readonly unknown[], result: unknown) => number;

const whole: Charge = ({ length }) => length;
/** What is looked for stands there or not. */
const untilFound: Charge = ({ length }, [, from = 0], result) =>
  (typeof result === 'number' && result >= 0 ? result : length) - Math.min(length, Number(from));
const argument: Charge = (_, [text]) => (typeof text === 'string' ? text.length : 0);

const textCharges: Record<string, Charge> = {
  ...Object.fromEntries(
    [
      'split',
      'replace',
      'replaceAll',
      'trim',
      'trimStart',
      'trimEnd',
      'toLowerCase',
      'toUpperCase',
      'includes',
      'normalize',
      'localeCompare',
    ].map((name) => [name, whole]),
  ),
  indexOf: untilFound,
  startsWith: argument,
  endsWith: argument,
};
/** What stands behind the place moves. */
const moved: Charge = ({ length }, [start = 0]) =>
  Number(start) < 0 ? -Number(start) : Math.max(0, length - Number(start));
const taken: Charge = (_, _args, result) => (Array.isArray(result) ? result.length : 0);
const listCharges: Record<string, Charge> = {
  ...Object.fromEntries(
    ['includes', 'join', 'concat', 'shift', 'unshift', 'reverse', 'toReversed'].map((name) => [name, whole]),
  ),
  indexOf: untilFound,
  slice: taken,
  splice: moved,
};
const platformCharges: [object, Record<string, Charge>][] = [
  [globalThis, { decodeURIComponent: argument, encodeURIComponent: argument }],
  [JSON, { parse: argument }],
  [Date, { parse: argument }],
  [Buffer, { from: argument, byteLength: argument }],
  [Array, { from: argument }],
];

/**
 * How many steps some work takes: each block of code that runs counts one, each function of the platform what it looks
 * at, each regular expression what a backtracking matcher would take. The same work always takes the same number; no
 * clock is asked. What else of ours has run since the last time counts as well.
 * @param work ends when it returns
 */
export function countSteps(work: () => unknown): number {
  const counter = { steps: 0 };
  if (session === null) takeBlocks();
  const restore = chargePlatform(counter);
  try {
    work();
  } finally {
    restore();
  }
  return counter.steps + takeBlocks();
}

let session: Session | null = null;

/** Blocks of code that have run since the last time. */
function takeBlocks(): number {
  if (session === null) {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }
  let blocks = 0;
  session.post(
    'Profiler.takePreciseCoverage',
    (error: Error | null, { result }: Profiler.TakePreciseCoverageReturnType) => {
      if (error !== null) throw error;
      blocks = result.filter(isCounted).reduce((sum, script) => sum + countBlocks(script), 0);
    },
  );
  return blocks;
}

function isCounted({ url }: Profiler.ScriptCoverage): boolean {
  return !/^node:|\/(count-steps|regex-steps)\.ts|\/node_modules\/(?!zod|@fastify)/.test(url);
}

function countBlocks({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

function chargePlatform(counter: { steps: number }): () => void {
  const restores = [
    ...platformCharges.map(([owner, charges]) => charge(owner, charges, counter)),
    charge(String.prototype, textCharges, counter),
    charge(Array.prototype, listCharges, counter),
    chargeRegex(counter),
  ];
  return () => {
    for (const restore of restores) restore();
  };
}

let isCharging = false;

function charge(owner: object, charges: Record<string, Charge>, counter: { steps: number }): () => void {
  const slots = owner as Record<string, (...args: unknown[]) => unknown>;
  const before = Object.entries(charges).map(([name, of]) => ({
    name,
    of,
    original: slots[name] as (...args: unknown[]) => unknown,
  }));
  for (const { name, of, original } of before)
    slots[name] = function (this: string | { length: number }, ...args: unknown[]) {
      const result = original.apply(this, args);
      if (!isCharging) counter.steps += 1 + of(this ?? '', args, result);
      return result;
    };
  return () => {
    for (const { name, original } of before) slots[name] = original;
  };
}

/** While `exec` is not the platform's own, all that texts and patterns can do with each other goes through it. */
function chargeRegex(counter: { steps: number }): () => void {
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    if (!isCharging) {
      isCharging = true;
      try {
        counter.steps += countRegexSteps(this, String(text), this.global || this.sticky ? this.lastIndex : 0);
      } finally {
        isCharging = false;
      }
    }
    return exec.call(this, text);
  };
  return () => {
    RegExp.prototype.exec = exec;
  };
}
