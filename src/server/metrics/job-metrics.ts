import type { Registry } from 'prom-client';
import type { JobState } from '../jobs/job.ts';
import type { StoredCounts } from './metric-sources.ts';
import { addLabelledGauge } from './pulled-metrics.ts';
import type { RecentValue } from './recent-value.ts';

const states: readonly JobState[] = ['queued', 'running', 'done', 'failed', 'cancelled'];

export function addJobMetrics(registry: Registry, counts: RecentValue<StoredCounts>): void {
  const help = 'Work in the background by kind and state, as far as it is remembered (done: a day).';
  addLabelledGauge(registry, { name: 'fourfold_jobs', help, labelNames: ['kind', 'state'] }, async () => {
    const jobs = (await counts.read())?.jobs ?? new Map<string, ReadonlyMap<JobState, number>>();
    return [...jobs].flatMap(([kind, ofKind]) =>
      states.map((state) => ({ labels: { kind, state }, value: ofKind.get(state) ?? 0 })),
    );
  });
}
