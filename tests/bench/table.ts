import { isShort } from './form.ts';
import type { Samples } from './samples.ts';
import { median, spread } from './samples.ts';

/** One line of a side-by-side table: the product against its peer. */
export interface Duel {
  readonly what: string;
  /** Of both; milliseconds, unless said otherwise. */
  readonly unit?: string;
  readonly product: Samples;
  readonly peer: Samples;
  /** Ratios to the peer: what is aimed for, and what is never crossed. */
  readonly goal: number;
  readonly floor: number;
}

/** One line of a table of amounts that have no peer. */
export interface Amount {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: number;
  readonly floor: number;
}

/** A row counts when the peer itself is steady. */
const steadyBelow = 0.25;

export function printDuels(title: string, duels: readonly Duel[]): void {
  const rows = duels.map(({ what, unit = 'ms', product, peer, goal, floor }) => {
    const ratio = median(product) / median(peer);
    return [
      what,
      middle(product, unit),
      percent(product),
      middle(peer, unit),
      percent(peer),
      `${ratio.toFixed(2)}×`,
      `${goal}×`,
      `${floor}×`,
      judge(ratio, goal, floor, peer),
    ];
  });
  printTable(title, ['', 'product', 'spread', 'peer', 'spread', 'ratio', 'goal', 'floor', ''], rows);
}

export function printAmounts(title: string, amounts: readonly Amount[]): void {
  const rows = amounts.map(({ what, value, unit, goal, floor }) => [
    what,
    `${round(value)} ${unit}`,
    String(goal),
    String(floor),
    judge(value, goal, floor),
  ]);
  printTable(title, ['', 'measured', 'goal', 'floor', ''], rows);
}

function judge(value: number, goal: number, floor: number, peer?: Samples): string {
  if (isShort) return 'short form: does not count';
  if (peer !== undefined && spread(peer) >= steadyBelow) return 'peer unsteady: does not count';
  if (value <= goal) return 'goal reached';
  if (value <= floor) return 'within the floor';
  process.exitCode = 1;
  return 'FLOOR CROSSED';
}

function middle(samples: Samples, unit: string): string {
  return `${round(median(samples))} ${unit}`;
}

function percent(samples: Samples): string {
  return `${Math.round(spread(samples) * 100)} %`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function printTable(title: string, head: string[], rows: string[][]): void {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  console.log(`\n${title}\n${line(head)}\n${rows.map(line).join('\n')}`);
}
