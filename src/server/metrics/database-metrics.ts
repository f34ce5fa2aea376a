import type { Registry } from 'prom-client';
import type { MetricSources, StoredCounts } from './metric-sources.ts';
import { addGauge, addLabelledGauge } from './pulled-metrics.ts';
import type { RecentValue } from './recent-value.ts';

export function addDatabaseMetrics(
  registry: Registry,
  { database }: Pick<MetricSources, 'database'>,
  counts: RecentValue<StoredCounts>,
): void {
  const { kind } = database.dialect;
  addGauge(
    registry,
    'fourfold_database_up',
    'Whether the database answered when it was last asked (1) or not (0).',
    async () => ((await counts.read()) === null ? 0 : 1),
  );
  addLabelledGauge(
    registry,
    {
      name: 'fourfold_database_connections',
      help: 'Open connections to the database, by state; of SQLite, the one that writes.',
      labelNames: ['kind', 'state'],
    },
    () => {
      const { used, idle } = database.load();
      return [
        { labels: { kind, state: 'used' }, value: used },
        { labels: { kind, state: 'idle' }, value: idle },
      ];
    },
  );
  addGauge(
    registry,
    'fourfold_database_waiting',
    'What waits for a connection to the database; of SQLite, for the one that writes.',
    () => database.load().waiting,
  );
}
