import type { Registry } from 'prom-client';
import type { StreamingSources } from './metric-sources.ts';
import { addCounter, addGauge, addLabelledGauge } from './pulled-metrics.ts';

/** The bytes of videos on their way. */
export function addStreamingMetrics(registry: Registry, sources: StreamingSources): void {
  const { streams, unread, pool, stalls, sentBytes } = sources;
  addGauge(registry, 'fourfold_streams_open', 'Answers that are sending bytes of videos.', () => streams.size);
  addCounter(
    registry,
    'fourfold_video_sent_bytes_total',
    'Bytes of videos that the system was given to send.',
    () => sentBytes.total,
  );
  addGauge(
    registry,
    'fourfold_unread_bytes',
    'Bytes that the system holds for clients that have not read them.',
    () => unread.held,
  );
  addGauge(
    registry,
    'fourfold_stalled_bytes',
    'Bytes that the process holds for clients that do not read.',
    () => stalls.stalledBytes,
  );
  const help = 'Memory for bytes of videos: lent to answers, or kept to be lent again.';
  addLabelledGauge(registry, { name: 'fourfold_buffer_pool_bytes', help, labelNames: ['state'] }, () => [
    { labels: { state: 'in_flight' }, value: pool.inFlight },
    { labels: { state: 'kept' }, value: pool.kept },
  ]);
}
