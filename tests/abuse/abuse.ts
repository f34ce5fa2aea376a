import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunningPostgres } from '#tests/support/database/postgres.ts';
import { startPostgres } from '#tests/support/database/postgres.ts';
import type { Attack, Budget, DatabaseKind, Setting } from './attack.ts';
import { bothDatabases } from './attack.ts';
import { attacks } from './attacks.ts';
import { startPicks } from './picks.ts';
import { isBroken, lineOf, printOutcome, printOutcomes } from './report.ts';
import type { Outcome } from './run-attack.ts';
import { runAttack } from './run-attack.ts';
import { startTarget } from './target.ts';

/*
 * `node tests/abuse/abuse.ts [name …] [--seed N] [--short] [--report file]`: attacks a product that it starts, on both
 * databases, with picks beside, and prints what they cost and what they found. Everything stays on loopback, and ends
 * by itself.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, short: { type: 'boolean', default: false }, report: { type: 'string' } },
});
const isShort = values.short;
const seed = Number(values.seed ?? (isShort ? 1 : Date.now() % 100_000));
const budget: Budget = { isShort, count: (short, long) => (isShort ? short : long) };

const unknown = positionals.filter((name) => !attacks.some((attack) => attack.name === name));
if (unknown.length > 0)
  throw new Error(
    `No attack is called ${unknown.join(', ')}. There are: ${attacks.map(({ name }) => name).join(', ')}.`,
  );

/** Those that are asked for: of the short form without a name, those that belong to it. */
function choose(database: DatabaseKind, setting: Setting): Attack[] {
  return attacks.filter((attack) => {
    const isAsked =
      positionals.length > 0 ? positionals.includes(attack.name) : !isShort || attack.short.includes(database);
    return isAsked && attack.setting === setting && attack.databases.includes(database);
  });
}

async function attackProduct(
  database: DatabaseKind,
  setting: Setting,
  postgres: RunningPostgres | null,
): Promise<Outcome[]> {
  const chosen = choose(database, setting);
  if (chosen.length === 0) return [];
  const outcomes: Outcome[] = [];
  const target = await startTarget(database, setting, postgres);
  const picks = startPicks(target.address, (await target.visitor()).headers);
  try {
    for (const attack of chosen) {
      const outcome = await runAttack(attack, target, picks, seed, budget);
      printOutcome(outcome);
      outcomes.push(outcome);
    }
  } finally {
    await picks.stop();
    await target.dispose();
  }
  return outcomes;
}

async function attackOn(database: DatabaseKind): Promise<Outcome[]> {
  // An acknowledged write has to survive the end of PostgreSQL's process.
  const postgres = database === 'postgres' ? await startPostgres(['synchronous_commit=on']) : null;
  try {
    const outcomes: Outcome[] = [];
    for (const setting of ['home', 'proxied', 'secure'] as const)
      outcomes.push(...(await attackProduct(database, setting, postgres)));
    return outcomes;
  } finally {
    await postgres?.stop();
  }
}

/** One after the other, because they would add to each other's costs; the short form, which counts none, at once. */
async function attackAll(databases: readonly DatabaseKind[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  if (!isShort) {
    for (const database of databases) outcomes.push(...(await attackOn(database)));
    return outcomes;
  }
  // All of them end, so that no product and no PostgreSQL is left when one fails.
  for (const run of await Promise.allSettled(databases.map(attackOn))) {
    if (run.status === 'rejected') throw run.reason;
    outcomes.push(...run.value);
  }
  return outcomes;
}

console.log(`seed ${seed}`);
const attacked = bothDatabases.filter((database) =>
  (['home', 'proxied', 'secure'] as const).some((setting) => choose(database, setting).length > 0),
);
const outcomes = await attackAll(attacked);
printOutcomes(outcomes);
const broken = outcomes.filter(isBroken);
if (values.report !== undefined) {
  await mkdir(dirname(values.report), { recursive: true });
  await writeFile(
    values.report,
    JSON.stringify({ passed: outcomes.length - broken.length, failed: broken.length, failures: broken.map(lineOf) }),
  );
}
process.exitCode = broken.length === 0 ? 0 : 1;
