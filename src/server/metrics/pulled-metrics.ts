import type { Metric, Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

/** Null if the value is unknown at the moment; the metric is then left out. */
type Figure = number | null;
type Read<T> = () => T | Promise<T>;

interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A gauge that is read when a monitor asks. `read` must not throw, or the whole response fails. */
export function addGauge(registry: Registry, name: string, help: string, read: Read<Figure>): void {
  const collect = async () => {
    const value = await read();
    if (value === null) gauge.remove();
    else gauge.set(value);
  };
  const gauge = new Gauge({ name, help, registers: [registry], collect });
}

interface Labelled {
  name: string;
  help: string;
  labelNames: readonly string[];
}

/** A gauge with one sample per set of labels. The number of sets has to be bounded. */
export function addLabelledGauge(
  registry: Registry,
  { name, help, labelNames }: Labelled,
  read: Read<readonly Sample[]>,
): void {
  const collect = async () => {
    const samples = await read();
    gauge.reset();
    for (const { labels, value } of samples) gauge.set(labels, value);
  };
  const gauge = new Gauge({ name, help, labelNames, registers: [registry], collect });
}

/** A counter with one sample per set of labels, whose values are counted elsewhere. */
export function addLabelledCounter(
  registry: Registry,
  { name, help, labelNames }: Labelled,
  read: () => readonly Sample[],
): void {
  const collect = () => {
    counter.reset();
    for (const { labels, value } of read()) counter.inc(labels, value);
  };
  const counter = new Counter({ name, help, labelNames, registers: [registry], collect });
}

/** A counter whose value is counted elsewhere, from the start of the process. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  const collect = () => {
    counter.reset();
    counter.inc(read());
  };
  const counter = new Counter({ name, help, registers: [registry], collect });
}

/**
 * A histogram of durations. prom-client's own histogram serializes its labels on every observation,
 * which takes longer than all of the server's request hooks.
 */
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
  // The registry calls nothing else of a metric.
  registry.registerMetric({ name, get } as unknown as Metric);
}
