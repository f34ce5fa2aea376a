import { printTable } from '#tests/bench/table.ts';
import type { Outcome } from './run-attack.ts';

const head = [
  '',
  'on',
  's',
  'idle p50',
  'p99',
  'beside p50',
  'p99',
  'MiB before',
  'after',
  'lost',
  'leaked',
  'lives',
  'answers',
  'costs',
];

/** Costs are goals; everything else is a promise. */
export function isBroken({ findings }: Outcome): boolean {
  return findings.some(({ kind }) => kind !== 'cost');
}

/** As soon as it is known. */
export function printOutcome(outcome: Outcome): void {
  const { attack, database, seconds, findings } = outcome;
  console.log(`${isBroken(outcome) ? 'broken' : 'held'}  ${attack} on ${database}  ${seconds.toFixed(1)} s`);
  for (const { kind, what } of findings) console.log(`  ${kind}: ${what}`);
}

export function printOutcomes(outcomes: readonly Outcome[]): void {
  printTable('Attacks on a started product, with picks beside (ms)', head, outcomes.map(toRow));
  const broken = outcomes.filter(isBroken).length;
  console.log(`\n${outcomes.length - broken} held, ${broken} broken`);
}

function toRow({ attack, database, seconds, idle, beside, before, after, findings }: Outcome): string[] {
  const of = (kind: string) => findings.filter((finding) => finding.kind === kind).length;
  const counts = [
    of('loss') || '-',
    of('leak') || '-',
    of('life') === 0 ? 'yes' : 'NO',
    of('answer') || '-',
    of('cost') || '-',
  ];
  const times = [idle.median, idle.p99, beside.median, beside.p99].map((ms) =>
    Number.isNaN(ms) ? '-' : ms.toFixed(1),
  );
  return [
    attack,
    database,
    seconds.toFixed(1),
    ...times,
    String(Math.round(before)),
    String(Math.round(after)),
    ...counts.map(String),
  ];
}

export function lineOf({ attack, database, findings }: Outcome): string {
  return `${attack} on ${database}: ${findings.map(({ what }) => what).join('; ')}`;
}
