import type { Registry } from 'prom-client';
import { addHistogram, Durations } from './durations.ts';
import { addLabelledCounter } from './pulled-metrics.ts';

/**
 * `unavailable`: videos match, and none can be played; `none`: no video matches; `failed`: it could not be told, as
 * the database did not answer.
 */
export type PickOutcome = 'picked' | 'unavailable' | 'none' | 'failed';

const bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

export class PickMetrics {
  private readonly counts: Record<PickOutcome, number> = { picked: 0, unavailable: 0, none: 0, failed: 0 };
  private readonly durations = new Durations(bounds);

  constructor(registry: Registry) {
    addLabelledCounter(
      registry,
      { name: 'fourfold_picks_total', help: 'Draws of a video for a quadrant, by outcome.', labelNames: ['outcome'] },
      () => Object.entries(this.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
    );
    const help = 'Time that a draw takes, whatever its outcome.';
    addHistogram(registry, 'fourfold_pick_duration_seconds', help, () => [{ labels: {}, durations: this.durations }]);
  }

  record(outcome: PickOutcome, seconds: number): void {
    this.counts[outcome] += 1;
    this.durations.add(seconds);
  }
}
