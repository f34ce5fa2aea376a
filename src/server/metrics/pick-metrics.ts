import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';

/**
 * `unavailable`: videos match, and none can be played; `none`: no video matches; `failed`: it could not be told, as
 * the database did not answer.
 */
export const pickOutcomes = ['picked', 'unavailable', 'none', 'failed'] as const;
export type PickOutcome = (typeof pickOutcomes)[number];

const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

export class PickMetrics {
  private readonly picks: Counter<'outcome'>;
  private readonly durations: Histogram;

  constructor(registry: Registry) {
    this.picks = new Counter({
      name: 'fourfold_picks_total',
      help: 'Draws of a video for a quadrant, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of pickOutcomes) this.picks.inc({ outcome }, 0);
    this.durations = new Histogram({
      name: 'fourfold_pick_duration_seconds',
      help: 'Time that a draw takes, whatever its outcome.',
      buckets,
      registers: [registry],
    });
  }

  record(outcome: PickOutcome, seconds: number): void {
    this.picks.inc({ outcome });
    this.durations.observe(seconds);
  }
}
