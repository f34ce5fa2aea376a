import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

/** Null: not known at the moment, and left out. */
type Figure = number | null;
type Read<T> = () => T | Promise<T>;

interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A gauge that is read when a monitor asks. `read` must not throw: the whole answer would fail. */
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

/** A gauge with a sample for each set of labels; the sets have to be bounded. */
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

/** Likewise for what something else counts. */
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

/** A counter that something else counts, from the start of the process. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  const collect = () => {
    counter.reset();
    counter.inc(read());
  };
  const counter = new Counter({ name, help, registers: [registry], collect });
}
