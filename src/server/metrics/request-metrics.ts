import type { Registry } from 'prom-client';
import { addHistogram, Durations } from './durations.ts';
import { addGauge, addLabelledCounter } from './pulled-metrics.ts';

/** One request that has ended. */
export interface EndedRequest {
  method: string;
  /** The template of its route, never its path; undefined when there is none. */
  route: string | undefined;
  /** Null: the client went away before the answer had ended. */
  status: number | null;
  seconds: number;
}

/** Of one method and route. */
interface RouteCount {
  readonly labels: Readonly<Record<'method' | 'route', string>>;
  /** By class of status; 0: aborted. */
  readonly statuses: number[];
  readonly durations: Durations;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Requests by method, route and class of status: what clients choose freely is never a label. */
export class RequestMetrics {
  private readonly routes = new Map<string, Map<string, RouteCount>>();
  private open = 0;

  constructor(registry: Registry) {
    addLabelledCounter(
      registry,
      {
        name: 'fourfold_http_requests_total',
        help: 'Requests that have ended, by method, route and class of status (aborted: the client went away first).',
        labelNames: ['method', 'route', 'status'],
      },
      () => this.list().flatMap(toSamples),
    );
    addHistogram(
      registry,
      'fourfold_http_request_duration_seconds',
      'Time from the head of a request to the end of its answer; without those that were aborted.',
      () => this.list(),
    );
    addGauge(registry, 'fourfold_http_requests_open', 'Requests that are being answered.', () => this.open);
  }

  begin(): void {
    this.open += 1;
  }

  end({ method, route, status, seconds }: EndedRequest): void {
    this.open -= 1;
    const { statuses, durations } = this.find(route ?? 'unknown', methods.has(method) ? method : 'other');
    const index = status === null ? 0 : Math.floor(status / 100);
    statuses[index] = (statuses[index] ?? 0) + 1;
    if (status !== null) durations.add(seconds);
  }

  private find(route: string, method: string): RouteCount {
    const ofRoute = this.routes.get(route) ?? new Map<string, RouteCount>();
    const known = ofRoute.get(method);
    if (known !== undefined) return known;
    const count = { labels: { method, route }, statuses: [0, 0, 0, 0, 0, 0], durations: new Durations(bounds) };
    this.routes.set(route, ofRoute.set(method, count));
    return count;
  }

  private list(): RouteCount[] {
    return [...this.routes.values()].flatMap((ofRoute) => [...ofRoute.values()]);
  }
}

function toSamples({ labels, statuses }: RouteCount) {
  return statuses
    .map((value, index) => ({ labels: { ...labels, status: index === 0 ? 'aborted' : `${index}xx` }, value }))
    .filter(({ value }) => value > 0);
}
