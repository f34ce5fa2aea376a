import { Gauge, Registry } from 'prom-client';
import { addDatabaseMetrics } from './database-metrics.ts';
import { addJobMetrics } from './job-metrics.ts';
import { addLibraryMetrics } from './library-metrics.ts';
import type { MetricSources } from './metric-sources.ts';
import { PickMetrics } from './pick-metrics.ts';
import { addPlaybackMetrics } from './playback-metrics.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { RecentValue } from './recent-value.ts';
import { RequestMetrics } from './request-metrics.ts';
import { addStreamingMetrics } from './streaming-metrics.ts';
import { addUploadMetrics } from './upload-metrics.ts';

/**
 * What a monitor reads of this process. Requests and picks are counted as they come; everything else is read when it is
 * asked for. Labels are bounded, whatever clients send, and none names a person, an address or a video.
 */
export class Metrics {
  readonly requests: RequestMetrics;
  readonly picks: PickMetrics;
  private readonly registry = new Registry();
  private readonly process: ProcessMetrics;

  constructor(sources: MetricSources) {
    const { registry } = this;
    const counts = new RecentValue(sources.clock, sources.readCounts, (err) =>
      sources.log.warn({ err }, 'what the database counts is missing in the metrics'),
    );
    addInfo(registry, sources.version);
    this.requests = new RequestMetrics(registry);
    this.picks = new PickMetrics(registry);
    addStreamingMetrics(registry, sources.streaming);
    addUploadMetrics(registry, sources, counts);
    addLibraryMetrics(registry, sources, counts);
    addJobMetrics(registry, counts);
    addDatabaseMetrics(registry, sources, counts);
    addPlaybackMetrics(registry, sources.playback);
    this.process = new ProcessMetrics(registry, sources.clock);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The text of all of them, in version 0.0.4 of Prometheus' text format. */
  read(): Promise<string> {
    return this.registry.metrics();
  }

  stop(): void {
    this.process.stop();
  }
}

function addInfo(registry: Registry, version: string): void {
  new Gauge({
    name: 'fourfold_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
}
