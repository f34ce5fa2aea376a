import { fastify } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { measureRequests } from '#server/http/pipeline/route.ts';
import type { MetricSources, PlaybackSummary, StoredCounts } from '#server/metrics/metrics.ts';
import { Metrics } from '#server/metrics/metrics.ts';
import type { MetricFamily } from '#tests/support/metrics-text.ts';
import { findValue, parseMetrics } from '#tests/support/metrics-text.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const nobody: PlaybackSummary = {
  viewers: 0,
  samples: 0,
  droppedFrames: 0,
  totalFrames: 0,
  stalls: 0,
  bufferSeconds: null,
};

const counts: StoredCounts = {
  jobs: new Map([
    ['poster', new Map([['failed', 3]])],
    ['scan', new Map()],
  ]),
  openUploads: 2,
  unplayableVideos: 5,
  encodingBytes: 6,
  lastScan: { startedAt: 1_000, finishedAt: 3_500 },
};

function openMetrics(sources: Partial<MetricSources> = {}) {
  const warn = vi.fn();
  const metrics = new Metrics({
    version: '1.2.3',
    clock: settableClock(),
    log: { warn } as unknown as MetricSources['log'],
    database: {
      dialect: { kind: 'postgres' },
      load: () => ({ used: 4, idle: 6, waiting: 1 }),
      replica: () => ({ behindMs: 1_500, fault: null, fromReplica: 7, fromPrimary: 2 }),
    } as unknown as MetricSources['database'],
    overload: { refused: { first: 1, list: 2, usual: 3 } },
    streaming: {
      streams: { size: 7 },
      unread: { held: 8 },
      pool: { inFlight: 9, kept: 10 },
      stalls: { stalledBytes: 11 },
      sentBytes: { total: 12 },
    },
    uploads: { receivedBytes: 13 },
    library: { countAvailable: () => 14, isScanning: () => true },
    playback: { lastMinute: () => nobody },
    rounds: { facts: () => ({ rounds: 15, bytes: 16, restarts: 17 }) },
    stores: () => new Map(),
    copies: { bytes: 0 },
    readCounts: async () => counts,
    ...sources,
  });
  onTestFinished(() => metrics.stop());
  return { metrics, warn, read: async () => parseMetrics(await metrics.read()) };
}

/** Everything without labels, or with those that are named. */
const figures = (families: Map<string, MetricFamily>, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, findValue(families, name)]));

test('what is read when a monitor asks stands there as it is then', async () => {
  const { read } = openMetrics();
  const families = await read();
  expect(
    figures(
      families,
      'fourfold_streams_open',
      'fourfold_unread_bytes',
      'fourfold_stalled_bytes',
      'fourfold_video_sent_bytes_total',
      'fourfold_upload_sessions_open',
      'fourfold_upload_received_bytes_total',
      'fourfold_videos_available',
      'fourfold_videos_unplayable',
      'fourfold_encodings_bytes',
      'fourfold_scan_running',
      'fourfold_scan_finished_timestamp_seconds',
      'fourfold_scan_duration_seconds',
      'fourfold_database_up',
      'fourfold_database_waiting',
    ),
  ).toEqual({
    fourfold_streams_open: 7,
    fourfold_unread_bytes: 8,
    fourfold_stalled_bytes: 11,
    fourfold_video_sent_bytes_total: 12,
    fourfold_upload_sessions_open: 2,
    fourfold_upload_received_bytes_total: 13,
    fourfold_videos_available: 14,
    fourfold_videos_unplayable: 5,
    fourfold_encodings_bytes: 6,
    fourfold_scan_running: 1,
    fourfold_scan_finished_timestamp_seconds: 3.5,
    fourfold_scan_duration_seconds: 2.5,
    fourfold_database_up: 1,
    fourfold_database_waiting: 1,
  });
  expect(findValue(families, 'fourfold_buffer_pool_bytes', { state: 'in_flight' })).toBe(9);
  expect(findValue(families, 'fourfold_buffer_pool_bytes', { state: 'kept' })).toBe(10);
  expect(findValue(families, 'fourfold_database_connections', { kind: 'postgres', state: 'used' })).toBe(4);
  expect(findValue(families, 'fourfold_database_connections', { kind: 'postgres', state: 'idle' })).toBe(6);
  expect(findValue(families, 'fourfold_replica_up')).toBe(1);
  expect(findValue(families, 'fourfold_replica_behind_seconds')).toBe(1.5);
  expect(findValue(families, 'fourfold_list_queries_total', { from: 'replica' })).toBe(7);
  expect(findValue(families, 'fourfold_list_queries_total', { from: 'primary' })).toBe(2);
  expect(findValue(families, 'fourfold_jobs', { kind: 'poster', state: 'failed' })).toBe(3);
  expect(findValue(families, 'fourfold_jobs', { kind: 'scan', state: 'queued' })).toBe(0);
});

test('what is counted elsewhere is not added up by reading it again', async () => {
  const { read } = openMetrics();
  await read();
  const [families] = await Promise.all([read(), read()]);
  expect(findValue(families, 'fourfold_upload_received_bytes_total')).toBe(13);
  expect(findValue(families, 'fourfold_jobs', { kind: 'poster', state: 'failed' })).toBe(3);
});

test('everything has a sentence, and a unit in its name where it has one', async () => {
  const families = await openMetrics().read();
  for (const [name, { help, type }] of families) {
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)]);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    if (/time|duration|delay|gc/.test(name)) expect(name).toMatch(/_seconds(_total)?$/);
  }
});

test('a version of whatever signs is written so that it is read back', async () => {
  const version = 'a "b" \\ c\nd';
  const families = await openMetrics({ version }).read();
  expect(families.get('fourfold_info')?.samples).toEqual([
    { name: 'fourfold_info', labels: { version, node: process.version }, value: 1 },
  ]);
});

test('without the database only what it counts is missing, and the log says so once', async () => {
  const clock = settableClock();
  const { read, warn } = openMetrics({ clock, readCounts: () => Promise.reject(new Error('no connection')) });
  for (let turn = 0; turn < 3; turn += 1) {
    const families = await read();
    expect(findValue(families, 'fourfold_database_up')).toBe(0);
    for (const name of ['upload_sessions_open', 'videos_unplayable', 'scan_duration_seconds', 'jobs'])
      expect([name, families.get(`fourfold_${name}`)?.samples]).toEqual([name, []]);
    expect(findValue(families, 'fourfold_videos_available')).toBe(14);
    clock.pass(60_000);
  }
  expect(warn).toHaveBeenCalledTimes(1);
});

test('the database is asked once in ten seconds, however often a monitor asks', async () => {
  const clock = settableClock();
  const readCounts = vi.fn(async () => counts);
  const { read } = openMetrics({ clock, readCounts });
  for (let second = 0; second < 10; second += 1) {
    await read();
    clock.pass(1_000);
  }
  expect(readCounts).toHaveBeenCalledTimes(1);
  await read();
  expect(readCounts).toHaveBeenCalledTimes(2);
});

test('what players report is of all viewers together, and its mean missing while nobody reports', async () => {
  const summary = {
    viewers: 3,
    samples: 40,
    droppedFrames: 5,
    totalFrames: 6_000,
    stalls: 2,
    bufferSeconds: 12.5,
  };
  let present: PlaybackSummary = summary;
  const { read } = openMetrics({ playback: { lastMinute: () => present } });
  expect(
    figures(
      await read(),
      'fourfold_playback_viewers',
      'fourfold_playback_samples',
      'fourfold_playback_frames',
      'fourfold_playback_dropped_frames',
      'fourfold_playback_stalls',
      'fourfold_playback_buffer_seconds',
    ),
  ).toEqual({
    fourfold_playback_viewers: 3,
    fourfold_playback_samples: 40,
    fourfold_playback_frames: 6_000,
    fourfold_playback_dropped_frames: 5,
    fourfold_playback_stalls: 2,
    fourfold_playback_buffer_seconds: 12.5,
  });
  present = nobody;
  const silent = await read();
  expect(findValue(silent, 'fourfold_playback_viewers')).toBe(0);
  expect(silent.get('fourfold_playback_buffer_seconds')?.samples).toEqual([]);
});

test('picks are counted by outcome, from nought, and by the time they take', async () => {
  const { metrics, read } = openMetrics();
  metrics.picks.record('picked', 0.0004);
  metrics.picks.record('picked', 0.02);
  metrics.picks.record('failed', 30);
  const families = await read();
  const outcomes = families.get('fourfold_picks_total')?.samples.map(({ labels, value }) => [labels.outcome, value]);
  expect(outcomes).toEqual([
    ['picked', 2],
    ['unavailable', 0],
    ['none', 0],
    ['failed', 1],
  ]);
  const upTo = (le: string) => findValue(families, 'fourfold_pick_duration_seconds_bucket', { le });
  expect(['0.001', '0.025', '2.5', '+Inf'].map(upTo)).toEqual([1, 2, 2, 3]);
  expect(findValue(families, 'fourfold_pick_duration_seconds_count')).toBe(3);
});

test('10,000 paths and methods that nobody knows are a handful of samples', async () => {
  const { metrics, read } = openMetrics();
  const app = fastify();
  measureRequests(app, metrics.requests);
  app.get('/videos/:id', async () => 'here');
  const methods = ['GET', 'POST', 'PROPFIND', 'MKCOL', 'PURGE'] as const;
  for (let start = 0; start < 10_000; start += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const url = index % 2 === 0 ? `/videos/${start + index}` : `/nothing-${start + index}?id=${index}`;
        return app.inject({ method: methods[index % methods.length] as 'GET', url });
      }),
    );
  await app.close();
  const families = await read();
  const samples = families.get('fourfold_http_requests_total')?.samples ?? [];
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(10_000);
  expect(samples.length).toBeLessThanOrEqual(4);
  expect(new Set(samples.map(({ labels }) => labels.route))).toEqual(new Set(['/videos/:id', 'unknown']));
  expect(new Set(samples.map(({ labels }) => labels.method))).toEqual(new Set(['GET', 'POST', 'other']));
  expect(findValue(families, 'fourfold_http_requests_open')).toBe(0);
});

test('the process says what it costs', async () => {
  const families = await openMetrics().read();
  for (const quantile of ['0.5', '0.99', '1'])
    expect(findValue(families, 'nodejs_eventloop_delay_seconds', { quantile })).toBeGreaterThanOrEqual(0);
  for (const part of ['heap', 'heap_used', 'external'])
    expect(findValue(families, 'nodejs_memory_bytes', { part })).toBeGreaterThan(0);
  expect(findValue(families, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(findValue(families, 'process_cpu_user_seconds_total')).toBeGreaterThan(0);
  expect(families.has('nodejs_gc_duration_seconds')).toBe(true);
});

test('says of a store what its calls were, and nothing where there is none', async () => {
  const facts = {
    calls: new Map([
      ['get done', 5],
      ['put failed', 2],
    ]),
    ...{ retries: 1, sentBytes: 20, receivedBytes: 30, lastMs: [10, 30], isCircuitOpen: true, clockOffMs: 0 },
    lastFailure: null,
  };
  const families = await openMetrics({ stores: () => new Map([['files', facts]]), copies: { bytes: 40 } }).read();
  expect(findValue(families, 'fourfold_store_calls_total', { store: 'files', kind: 'get', outcome: 'done' })).toBe(5);
  expect(findValue(families, 'fourfold_store_calls_total', { store: 'files', kind: 'put', outcome: 'failed' })).toBe(2);
  const names = ['retries_total', 'sent_bytes_total', 'received_bytes_total', 'seconds', 'away'];
  const values = names.map((name) => findValue(families, `fourfold_store_${name}`, { store: 'files' }));
  expect(values).toEqual([1, 20, 30, 0.02, 1]);
  expect(findValue(families, 'fourfold_store_copies_bytes')).toBe(40);
  expect([...(await openMetrics().read()).keys()].filter((name) => name.includes('store'))).toEqual([]);
});
