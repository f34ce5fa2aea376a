import type { Metric } from 'prom-client';
import { Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels: Labels;
  value: number;
  /** The name of one line of a histogram. */
  metricName?: string;
}

/**
 * One number; null if it is unknown at the moment, and the metric is left out; or a sample per set
 * of labels, whose number has to be bounded.
 */
type Reading = number | null | readonly Sample[];

interface LabelledDurations {
  labels: Labels;
  durations: Durations;
}

/**
 * Metrics that are read when a monitor asks. A function that reads one must not throw, or the whole
 * response fails. The metrics of prom-client store a value of their own, and serialize its labels
 * on every change.
 */
export class PulledMetrics {
  private readonly registry = new Registry();

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format, version 0.0.4. */
  read(): Promise<string> {
    return this.registry.metrics();
  }

  addGauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    this.add('gauge', name, help, read);
  }

  /** @param read returns what was counted since the start of the process */
  addCounter(name: string, help: string, read: () => Reading): void {
    this.add('counter', name, help, read);
  }

  addHistogram(name: string, help: string, read: () => readonly LabelledDurations[]): void {
    this.add('histogram', name, help, () => read().flatMap(({ labels, durations }) => durations.samples(name, labels)));
  }

  private add(type: string, name: string, help: string, read: () => Reading | Promise<Reading>): void {
    const get = async () => ({ name, help, type, values: samplesOf(await read()), aggregator: 'sum' });
    // The registry calls nothing else of a metric.
    this.registry.registerMetric({ name, get } as unknown as Metric);
  }
}

function samplesOf(reading: Reading): readonly Sample[] {
  if (reading === null) return [];
  return typeof reading === 'number' ? [{ labels: {}, value: reading }] : reading;
}

/** A histogram of durations. */
export class Durations {
  /** Upper bounds of the buckets in seconds, ascending. */
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

  /** The samples of a Prometheus histogram, whose buckets are cumulative. */
  samples(name: string, labels: Labels): Sample[] {
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
