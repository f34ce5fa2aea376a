import type { Registry } from 'prom-client';
import type { MetricSources, StoredCounts } from './metric-sources.ts';
import { addCounter, addGauge } from './pulled-metrics.ts';
import type { RecentValue } from './recent-value.ts';

export function addUploadMetrics(
  registry: Registry,
  { uploads }: Pick<MetricSources, 'uploads'>,
  counts: RecentValue<StoredCounts>,
): void {
  addGauge(
    registry,
    'fourfold_upload_sessions_open',
    'Sessions of uploads that can still be sent to.',
    async () => (await counts.read())?.openUploads ?? null,
  );
  addCounter(
    registry,
    'fourfold_upload_received_bytes_total',
    'Bytes of uploads that were written.',
    () => uploads.receivedBytes,
  );
}
