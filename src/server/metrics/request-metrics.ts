import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import { addGauge } from './pulled-metrics.ts';

/** One request that has ended. */
export interface EndedRequest {
  method: string;
  /** The template of its route, never its path; undefined when there is none. */
  route: string | undefined;
  /** Null: the client went away before the answer had ended. */
  status: number | null;
  seconds: number;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const buckets = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Requests by method, route and class of status: what clients choose freely is never a label. */
export class RequestMetrics {
  private readonly ended: Counter<'method' | 'route' | 'status'>;
  private readonly durations: Histogram<'method' | 'route'>;
  private open = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    this.ended = new Counter({
      name: 'fourfold_http_requests_total',
      help: 'Requests that have ended, by method, route and class of status (aborted: the client went away first).',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.durations = new Histogram({
      name: 'fourfold_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer; without those that were aborted.',
      labelNames: ['method', 'route'],
      buckets,
      registers,
    });
    addGauge(registry, 'fourfold_http_requests_open', 'Requests that are being answered.', () => this.open);
  }

  begin(): void {
    this.open += 1;
  }

  end({ method: given, route = 'unknown', status, seconds }: EndedRequest): void {
    this.open -= 1;
    const method = methods.has(given) ? given : 'other';
    this.ended.inc({ method, route, status: status === null ? 'aborted' : `${Math.floor(status / 100)}xx` });
    if (status !== null) this.durations.observe({ method, route }, seconds);
  }
}
