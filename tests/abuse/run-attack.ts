import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '#tests/bench/samples.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';
import type { Attack, Budget, DatabaseKind, Finding } from './attack.ts';
import type { Picks } from './picks.ts';
import type { PickSeen } from './picks-process.ts';
import { residentMiB } from './process-memory.ts';
import type { Target } from './target.ts';

/** What one attack came to on one database. */
export interface Outcome {
  attack: string;
  database: DatabaseKind;
  seconds: number;
  /** Milliseconds; of the idle product, and beside the attack. */
  idle: { median: number; p99: number };
  beside: { median: number; p99: number };
  /** MiB at rest. */
  before: number;
  after: number;
  findings: Finding[];
}

const idlePicks = 75;
const goalPickMs = 100;
const goalOfIdle = 5;
const goalGrowthMiB = 100;
/** How long the product may take to give memory back. */
const restLimitMs = 10_000;

/**
 * Runs one attack with picks beside it, and takes the measurements. A product that has ended is started again for those
 * that follow.
 */
export async function runAttack(
  attack: Attack,
  target: Target,
  picks: Picks,
  seed: number,
  budget: Budget,
): Promise<Outcome> {
  target.takeObserved();
  picks.take();
  await picks.until(budget.isShort ? 3 : idlePicks);
  const idle = picks.take();
  const before = residentMiB(target.process.pid);
  const start = performance.now();
  const findings = await attack.run(target, seededRandom(seed), budget).catch((error: unknown) => [toFinding(error)]);
  const seconds = (performance.now() - start) / 1_000;
  target.release();
  const beside = picks.take();
  findings.push(...target.takeObserved(), ...(await checkLife(target, picks)));
  if (attack.endsProduct !== true) findings.push(...judgePicks(beside));
  const after = budget.isShort
    ? residentMiB(target.process.pid)
    : await rest(target.process.pid, before + goalGrowthMiB);
  const outcome = {
    attack: attack.name,
    database: target.database,
    seconds,
    idle: latencyOf(idle),
    beside: latencyOf(beside),
    before,
    after,
    findings,
  };
  if (!budget.isShort) findings.push(...judgeCosts(outcome, attack));
  return outcome;
}

function toFinding(error: unknown): Finding {
  return {
    kind: 'answer',
    what: `the attack could not go on: ${error instanceof Error ? error.message : String(error)}`,
  };
}

async function checkLife({ process: product }: Target, picks: Picks): Promise<Finding[]> {
  if (!product.isRunning()) {
    await product.start();
    return [{ kind: 'life', what: 'the process ended' }];
  }
  await picks.until(3);
  const isServing = picks.take().some(({ status }) => status === 200);
  return isServing ? [] : [{ kind: 'life', what: 'no pick is answered afterwards' }];
}

function judgePicks(seen: readonly PickSeen[]): Finding[] {
  const failed = seen.filter(({ status }) => status !== 200);
  const statuses = [...new Set(failed.map(({ status }) => (status === 0 ? 'no answer' : status)))].join(', ');
  return failed.length === 0
    ? []
    : [{ kind: 'answer', what: `${failed.length} of ${seen.length} picks failed (${statuses})` }];
}

function latencyOf(seen: readonly PickSeen[]): Outcome['idle'] {
  const times = seen
    .filter(({ status }) => status === 200)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  return times.length === 0
    ? { median: Number.NaN, p99: Number.NaN }
    : { median: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Waits until memory has come back to its goal. @returns what it is then, or after the time for it */
async function rest(pid: number, goal: number): Promise<number> {
  const end = performance.now() + restLimitMs;
  while (residentMiB(pid) > goal && performance.now() < end) await delay(250);
  return residentMiB(pid);
}

function judgeCosts(
  { idle, beside, before, after }: Outcome,
  { endsProduct = false, maxOfIdle = goalOfIdle }: Attack,
): Finding[] {
  const findings: Finding[] = [];
  const goal = Math.max(goalPickMs, maxOfIdle * idle.p99);
  if (!endsProduct && beside.p99 > goal)
    findings.push({ kind: 'cost', what: `picks took ${Math.round(beside.p99)} ms (p99), goal ${Math.round(goal)} ms` });
  if (!endsProduct && after > before + goalGrowthMiB)
    findings.push({
      kind: 'cost',
      what: `memory grew by ${Math.round(after - before)} MiB, goal ${goalGrowthMiB} MiB`,
    });
  return findings;
}
