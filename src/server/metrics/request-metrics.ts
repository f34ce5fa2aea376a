import type { PulledMetrics } from './pulled-metrics.ts';
import { Durations } from './pulled-metrics.ts';

/** A request that has ended. */
interface EndedRequest {
  method: string;
  /** The route's template, never its path; undefined if no route matched. */
  route: string | undefined;
  /** Null if the client disconnected before the response ended. */
  status: number | null;
  seconds: number;
}

/** The counts of one method and route. */
interface RouteCount {
  readonly labels: Readonly<Record<'method' | 'route', string>>;
  /** Number of responses by status class (2: 2xx); index 0: aborted requests. */
  readonly statuses: number[];
  readonly durations: Durations;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const requestBounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Requests by method, route and status class. Text that clients choose freely is never a label. */
export class RequestMetrics {
  private readonly routes = new Map<string, Map<string, RouteCount>>();
  private open = 0;

  constructor(metrics: PulledMetrics) {
    metrics.addCounter(
      'fourfold_http_requests_total',
      'Requests that have ended, by method, route and class of status (aborted: the client went away first).',
      () => this.list().flatMap(toSamples),
    );
    metrics.addHistogram(
      'fourfold_http_request_duration_seconds',
      'Time from the head of a request to the end of its answer; without those that were aborted.',
      () => this.list(),
    );
    metrics.addGauge('fourfold_http_requests_open', 'Requests that are being answered.', () => this.open);
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
    const count = { labels: { method, route }, statuses: [0, 0, 0, 0, 0, 0], durations: new Durations(requestBounds) };
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

/**
 * `unavailable`: videos match, and none of them can be played; `none`: no video matches; `failed`:
 * the database did not answer.
 */
export type PickOutcome = 'picked' | 'unavailable' | 'none' | 'failed';

const pickBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

export class PickMetrics {
  private readonly counts: Record<PickOutcome, number> = { picked: 0, unavailable: 0, none: 0, failed: 0 };
  private readonly durations = new Durations(pickBounds);

  constructor(metrics: PulledMetrics) {
    metrics.addCounter('fourfold_picks_total', 'Draws of a video for a quadrant, by outcome.', () =>
      Object.entries(this.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
    );
    const help = 'Time that a draw takes, whatever its outcome.';
    metrics.addHistogram('fourfold_pick_duration_seconds', help, () => [{ labels: {}, durations: this.durations }]);
  }

  record(outcome: PickOutcome, seconds: number): void {
    this.counts[outcome] += 1;
    this.durations.add(seconds);
  }
}
