import type { NodeGCPerformanceDetail, PerformanceEntry } from 'node:perf_hooks';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import type { PulledMetrics } from './pulled-metrics.ts';
import { Durations } from './pulled-metrics.ts';

/** An entry of the `gc` type, whose `detail` Node's types leave out. */
type GcEntry = PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };

/** Interval at which the monitor wakes up. It counts this time as part of each delay. */
const delayResolutionMs = 50;
const delayQuantiles = [0.5, 0.99, 1];
const gcBounds = [0.001, 0.01, 0.1, 1];
const gcKinds = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);
const otherGc = 'other';

/**
 * Metrics of the process, under prom-client's names where it has the same metric. The default
 * metrics of prom-client are not used: they cannot be stopped, and they list every open handle,
 * which is slow with thousands of connections.
 */
export class ProcessMetrics {
  private readonly delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  private readonly collections: PerformanceObserver;

  constructor(metrics: PulledMetrics, clock: Clock) {
    this.delays.enable();
    this.collections = observeCollections(metrics);
    const help = 'How late the event loop was since this was last read: median, 99 of 100, and the worst.';
    metrics.addGauge('nodejs_eventloop_delay_seconds', help, () => this.readDelays());
    addMemory(metrics);
    addProcessor(metrics);
    const startedAt = clock.now() / 1000 - process.uptime();
    metrics.addGauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startedAt);
  }

  stop(): void {
    this.delays.disable();
    this.collections.disconnect();
  }

  private readDelays() {
    const samples = delayQuantiles.map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: Math.max(0, this.delays.percentile(quantile * 100) / 1e9 - delayResolutionMs / 1e3),
    }));
    this.delays.reset();
    return samples;
  }
}

function observeCollections(metrics: PulledMetrics): PerformanceObserver {
  const byKind = new Map([...gcKinds.values(), otherGc].map((kind) => [kind, new Durations(gcBounds)]));
  metrics.addHistogram('nodejs_gc_duration_seconds', 'Time that garbage collections took, by kind.', () =>
    [...byKind].map(([kind, durations]) => ({ labels: { kind }, durations })),
  );
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as GcEntry[])
      byKind.get(gcKinds.get(detail.kind) ?? otherGc)?.add(duration / 1e3);
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}

function addMemory(metrics: PulledMetrics): void {
  const { memoryUsage } = process;
  metrics.addGauge('process_resident_memory_bytes', 'Memory that the process has.', () => memoryUsage.rss());
  const help = 'Memory of the JavaScript engine: its heap, what of it is used, and what it holds outside of it.';
  metrics.addGauge('nodejs_memory_bytes', help, () => {
    const { heapTotal, heapUsed, external } = memoryUsage();
    return Object.entries({ heap: heapTotal, heap_used: heapUsed, external }).map(([part, value]) => ({
      labels: { part },
      value,
    }));
  });
}

function addProcessor(metrics: PulledMetrics): void {
  const help = 'Time that processors spent in the process.';
  metrics.addCounter('process_cpu_user_seconds_total', help, () => process.cpuUsage().user / 1e6);
  metrics.addCounter(
    'process_cpu_system_seconds_total',
    'Time that processors spent in the system for the process.',
    () => process.cpuUsage().system / 1e6,
  );
}
