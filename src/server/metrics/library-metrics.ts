import type { Registry } from 'prom-client';
import type { MetricSources, StoredCounts } from './metric-sources.ts';
import { addGauge } from './pulled-metrics.ts';
import type { RecentValue } from './recent-value.ts';

export function addLibraryMetrics(
  registry: Registry,
  { library }: Pick<MetricSources, 'library'>,
  counts: RecentValue<StoredCounts>,
): void {
  const lastScan = async () => (await counts.read())?.lastScan ?? null;
  addGauge(registry, 'fourfold_videos_available', 'Videos that can be played.', () => library.countAvailable());
  addGauge(
    registry,
    'fourfold_videos_unplayable',
    'Videos that are there and cannot be played.',
    async () => (await counts.read())?.unplayableVideos ?? null,
  );
  addGauge(
    registry,
    'fourfold_encodings_bytes',
    'Bytes that encodings, sheets of stills and subtitles take.',
    async () => (await counts.read())?.encodingBytes ?? null,
  );
  addGauge(registry, 'fourfold_scan_running', 'Whether this process looks through the library (1) or not (0).', () =>
    Number(library.isScanning()),
  );
  addGauge(
    registry,
    'fourfold_scan_finished_timestamp_seconds',
    'When the library was last looked through, in seconds since 1970.',
    async () => secondsOf(await lastScan(), ({ finishedAt }) => finishedAt),
  );
  addGauge(
    registry,
    'fourfold_scan_duration_seconds',
    'How long it took when the library was last looked through.',
    async () => secondsOf(await lastScan(), ({ startedAt, finishedAt }) => Math.max(0, finishedAt - startedAt)),
  );
}

function secondsOf<T>(value: T | null, toMs: (value: T) => number): number | null {
  return value === null ? null : toMs(value) / 1000;
}
