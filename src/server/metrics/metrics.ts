import { Gauge, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { SentBytes } from '../http/connections/sent-bytes.ts';
import type { UnreadBytes } from '../http/connections/unread-bytes.ts';
import type { OpenStreams } from '../http/pipeline/listen.ts';
import type { JobState } from '../jobs/job.ts';
import type { Log } from '../log.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { addCounter, addGauge, addLabelledGauge } from './pulled-metrics.ts';
import { RecentValue } from './recent-value.ts';
import { PickMetrics, RequestMetrics } from './request-metrics.ts';

/**
 * Prometheus metrics of this process. Requests and picks are counted as they occur; everything else
 * is read when a monitor asks. The number of label values is bounded, whatever clients send, and no
 * label names a person, an address or a video.
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

  /** All metrics in Prometheus' text format, version 0.0.4. */
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

/** The sources of the metrics. None of them names a person, an address or a video. */
export interface MetricSources {
  version: string;
  clock: Clock;
  log: Log;
  database: Pick<Database, 'dialect' | 'load'>;
  streaming: StreamingSources;
  uploads: { readonly receivedBytes: number };
  library: { countAvailable(): number; isScanning(): boolean };
  playback: PlaybackSource;
  /** Queries the database. Throws while it does not answer. */
  readCounts(): Promise<StoredCounts>;
}

interface StreamingSources {
  streams: Pick<OpenStreams, 'size'>;
  unread: Pick<UnreadBytes, 'held'>;
  pool: { readonly inFlight: number; readonly kept: number };
  stalls: { readonly stalledBytes: number };
  sentBytes: Pick<SentBytes, 'total'>;
}

/** Counts that the database keeps. */
export interface StoredCounts {
  /** Number of jobs by kind and state. Unknown kinds count as `other`. */
  jobs: ReadonlyMap<string, ReadonlyMap<JobState, number>>;
  openUploads: number;
  unplayableVideos: number;
  /** Bytes of encodings and of the files made with them. */
  encodingBytes: number;
  lastScan: FinishedScan | null;
}

/** A scan's start and end, in epoch milliseconds. */
export interface FinishedScan {
  startedAt: number;
  finishedAt: number;
}

interface PlaybackSource {
  lastMinute(): PlaybackSummary;
}

/** The reports of all viewers' players to this process within the last minute. */
export interface PlaybackSummary {
  viewers: number;
  samples: number;
  droppedFrames: number;
  totalFrames: number;
  stalls: number;
  /** Mean of the seconds buffered ahead over all samples, or null without samples. */
  bufferSeconds: number | null;
}

function addDatabaseMetrics(
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

const states: readonly JobState[] = ['queued', 'running', 'done', 'failed', 'cancelled'];

function addJobMetrics(registry: Registry, counts: RecentValue<StoredCounts>): void {
  const help = 'Work in the background by kind and state, as far as it is remembered (done: a day).';
  addLabelledGauge(registry, { name: 'fourfold_jobs', help, labelNames: ['kind', 'state'] }, async () => {
    const jobs = (await counts.read())?.jobs ?? new Map<string, ReadonlyMap<JobState, number>>();
    return [...jobs].flatMap(([kind, ofKind]) =>
      states.map((state) => ({ labels: { kind, state }, value: ofKind.get(state) ?? 0 })),
    );
  });
}

function addLibraryMetrics(
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

type Figure = readonly [name: keyof PlaybackSummary, metric: string, help: string];

const figures: readonly Figure[] = [
  ['viewers', 'fourfold_playback_viewers', 'Viewers whose players reported within the last minute.'],
  ['samples', 'fourfold_playback_samples', 'Samples that players reported within the last minute.'],
  ['totalFrames', 'fourfold_playback_frames', 'Frames of all players within the last minute.'],
  ['droppedFrames', 'fourfold_playback_dropped_frames', 'Frames that were not shown in time within the last minute.'],
  ['stalls', 'fourfold_playback_stalls', 'Stalls of all players within the last minute.'],
  ['bufferSeconds', 'fourfold_playback_buffer_seconds', 'Mean time buffered ahead within the last minute.'],
];

/** Playback quality as players report it, summed over all viewers. The reports are not verified. */
function addPlaybackMetrics(registry: Registry, source: PlaybackSource): void {
  for (const [name, metric, help] of figures) addGauge(registry, metric, help, () => source.lastMinute()[name]);
}

function addStreamingMetrics(registry: Registry, sources: StreamingSources): void {
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

function addUploadMetrics(
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
