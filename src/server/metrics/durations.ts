import type { Metric, Registry } from 'prom-client';

/**
 * How long something took, counted in a few steps. prom-client's own histogram spells out its labels on every
 * observation, which takes longer than all our hooks.
 */
export class Durations {
  /** Upper bounds of the steps in seconds, rising. */
  private readonly bounds: readonly number[];
  private readonly counts: number[];
  private sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds, 0].map(() => 0);
  }

  add(seconds: number): void {
    const step = this.bounds.findIndex((bound) => seconds <= bound);
    const index = step === -1 ? this.bounds.length : step;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += seconds;
  }

  /** The samples of a histogram, each step with all that are below it. */
  samples(name: string, labels: Readonly<Record<string, string>>) {
    let count = 0;
    const steps = this.counts.map((own, index) => {
      count += own;
      const le = String(this.bounds[index] ?? '+Inf');
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...steps,
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

interface LabelledDurations {
  labels: Readonly<Record<string, string>>;
  durations: Durations;
}

/** A histogram that is read when a monitor asks. */
export function addHistogram(
  registry: Registry,
  name: string,
  help: string,
  read: () => readonly LabelledDurations[],
): void {
  const get = async () => {
    const values = read().flatMap(({ labels, durations }) => durations.samples(name, labels));
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  };
  // All that a registry asks of a metric.
  registry.registerMetric({ name, get } as unknown as Metric);
}
