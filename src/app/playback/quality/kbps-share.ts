import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { readLearned } from '../budget/learned-device.ts';

/** As shared out by who watches the four play; empty before that. */
let shares: Partial<Record<Quadrant, number>> = {};

/** Kilobits per second for one quadrant; undefined while the network's speed is not known. */
export function kbpsFor(quadrant: Quadrant): number | undefined {
  const kbps = shares[quadrant] ?? (readLearned('kbps') ?? Number.NaN) / quadrants.length;
  return Math.floor(kbps) || undefined;
}

export function setShares(shared: Partial<Record<Quadrant, number>>): void {
  shares = shared;
}
