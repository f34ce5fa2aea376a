import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { SentBytes } from '../http/connections/sent-bytes.ts';
import type { UnreadBytes } from '../http/connections/unread-bytes.ts';
import type { OpenStreams } from '../http/pipeline/listen.ts';
import type { JobState } from '../jobs/job.ts';
import type { Log } from '../log.ts';
import type { StoreFacts } from '../storage/stores/store-calls.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { PulledMetrics } from './pulled-metrics.ts';

import { PickMetrics, RequestMetrics } from './request-metrics.ts';

/**
 * Prometheus metrics of this process. Requests and picks are counted as they occur; everything else
 * is read when a monitor asks. The number of label values is bounded, whatever clients send, and no
 * label names a person, an address or a video.
 */
export class Metrics {
  readonly requests: RequestMetrics;
  readonly picks: PickMetrics;
  private readonly pulled = new PulledMetrics();
  private readonly process: ProcessMetrics;

  constructor(sources: MetricSources) {
    const { pulled } = this;
    const counts = new RecentValue(sources.clock, sources.readCounts, (err) =>
      sources.log.warn({ err }, 'what the database counts is missing in the metrics'),
    );
    const labels = { version: sources.version, node: process.version };
    pulled.addGauge('fourfold_info', 'Always 1; its labels say what runs.', () => [{ labels, value: 1 }]);
    this.requests = new RequestMetrics(pulled);
    this.picks = new PickMetrics(pulled);
    pulled.addCounter(
      'fourfold_http_overloaded_total',
      'Calls that were refused because the server had too much to do, by when their kind is refused.',
      () => Object.entries(sources.overload.refused).map(([kind, value]) => ({ labels: { kind }, value })),
    );
    addStreaming(pulled, sources.streaming);
    addUploads(pulled, sources, counts);
    addLibrary(pulled, sources, counts);
    addJobs(pulled, counts);
    addDatabase(pulled, sources, counts);
    addPlayback(pulled, sources.playback);
    addRounds(pulled, sources.rounds);
    if (sources.stores().size > 0) addStores(pulled, sources);
    this.process = new ProcessMetrics(pulled, sources.clock);
  }

  get contentType(): string {
    return this.pulled.contentType;
  }

  /** All metrics in Prometheus' text format, version 0.0.4. */
  read(): Promise<string> {
    return this.pulled.read();
  }

  stop(): void {
    this.process.stop();
  }
}

/** The sources of the metrics. None of them names a person, an address or a video. */
export interface MetricSources {
  version: string;
  clock: Clock;
  log: Log;
  database: Pick<Database, 'dialect' | 'load' | 'replica'>;
  overload: { readonly refused: Readonly<Record<string, number>> };
  streaming: StreamingSources;
  uploads: { readonly receivedBytes: number };
  library: { countAvailable(): number; isScanning(): boolean };
  playback: PlaybackSource;
  rounds: RoundsSource;
  /** The stores, by what lies there and who calls them. */
  stores(): ReadonlyMap<string, StoreFacts>;
  /** Copies of remote files on this machine. */
  copies: { readonly bytes: number };
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

interface RoundsSource {
  facts(): { rounds: number; bytes: number; restarts: number };
}

interface PlaybackSource {
  lastMinute(): PlaybackSummary;
}

/**
 * The reports of all viewers' players to this process within the last minute: estimates, but for the
 * stalls, where not every device is measured.
 */
export interface PlaybackSummary {
  viewers: number;
  samples: number;
  droppedFrames: number;
  totalFrames: number;
  stalls: number;
  /** Mean of the seconds buffered ahead over all samples, or null without samples. */
  bufferSeconds: number | null;
}

function addStreaming(metrics: PulledMetrics, { streams, unread, pool, stalls, sentBytes }: StreamingSources): void {
  metrics.addGauge('fourfold_streams_open', 'Answers that are sending bytes of videos.', () => streams.size);
  metrics.addCounter(
    'fourfold_video_sent_bytes_total',
    'Bytes of videos that the system was given to send.',
    () => sentBytes.total,
  );
  metrics.addGauge(
    'fourfold_unread_bytes',
    'Bytes that the system holds for clients that have not read them.',
    () => unread.held,
  );
  metrics.addGauge(
    'fourfold_stalled_bytes',
    'Bytes that the process holds for clients that do not read.',
    () => stalls.stalledBytes,
  );
  const help = 'Memory for bytes of videos: lent to answers, or kept to be lent again.';
  metrics.addGauge('fourfold_buffer_pool_bytes', help, () => [
    { labels: { state: 'in_flight' }, value: pool.inFlight },
    { labels: { state: 'kept' }, value: pool.kept },
  ]);
}

const jobStates: readonly JobState[] = ['queued', 'running', 'done', 'failed', 'cancelled'];

type Counts = RecentValue<StoredCounts>;

/** A gauge of what the database counts; it is left out while the database does not answer. */
function addCount(
  metrics: PulledMetrics,
  counts: Counts,
  name: string,
  help: string,
  toValue: (stored: StoredCounts) => number | null,
): void {
  metrics.addGauge(name, help, async () => {
    const stored = await counts.read();
    return stored && toValue(stored);
  });
}

function addUploads(metrics: PulledMetrics, { uploads }: Pick<MetricSources, 'uploads'>, counts: Counts): void {
  addCount(
    metrics,
    counts,
    'fourfold_upload_sessions_open',
    'Sessions of uploads that can still be sent to.',
    ({ openUploads }) => openUploads,
  );
  metrics.addCounter(
    'fourfold_upload_received_bytes_total',
    'Bytes of uploads that were written.',
    () => uploads.receivedBytes,
  );
}

function addLibrary(metrics: PulledMetrics, { library }: Pick<MetricSources, 'library'>, counts: Counts): void {
  metrics.addGauge('fourfold_videos_available', 'Videos that can be played.', () => library.countAvailable());
  addCount(
    metrics,
    counts,
    'fourfold_videos_unplayable',
    'Videos that are there and cannot be played.',
    ({ unplayableVideos }) => unplayableVideos,
  );
  addCount(
    metrics,
    counts,
    'fourfold_encodings_bytes',
    'Bytes that encodings, sheets of stills and subtitles take.',
    ({ encodingBytes }) => encodingBytes,
  );
  metrics.addGauge('fourfold_scan_running', 'Whether this process looks through the library (1) or not (0).', () =>
    Number(library.isScanning()),
  );
  addCount(
    metrics,
    counts,
    'fourfold_scan_finished_timestamp_seconds',
    'When the library was last looked through, in seconds since 1970.',
    ({ lastScan }) => lastScan && lastScan.finishedAt / 1000,
  );
  addCount(
    metrics,
    counts,
    'fourfold_scan_duration_seconds',
    'How long it took when the library was last looked through.',
    ({ lastScan }) => lastScan && Math.max(0, lastScan.finishedAt - lastScan.startedAt) / 1000,
  );
}

function addJobs(metrics: PulledMetrics, counts: Counts): void {
  const help = 'Work in the background by kind and state, as far as it is remembered (done: a day).';
  metrics.addGauge('fourfold_jobs', help, async () =>
    [...((await counts.read())?.jobs ?? [])].flatMap(([kind, ofKind]) =>
      jobStates.map((state) => ({ labels: { kind, state }, value: ofKind.get(state) ?? 0 })),
    ),
  );
}

function addDatabase(metrics: PulledMetrics, { database }: Pick<MetricSources, 'database'>, counts: Counts): void {
  metrics.addGauge(
    'fourfold_database_up',
    'Whether the database answered when it was last asked (1) or not (0).',
    async () => Number((await counts.read()) !== null),
  );
  const { kind } = database.dialect;
  metrics.addGauge(
    'fourfold_database_connections',
    'Open connections to the database, by state; of SQLite, the one that writes.',
    () => {
      const { used, idle } = database.load();
      return Object.entries({ used, idle }).map(([state, value]) => ({ labels: { kind, state }, value }));
    },
  );
  metrics.addGauge(
    'fourfold_database_waiting',
    'What waits for a connection to the database; of SQLite, for the one that writes.',
    () => database.load().waiting,
  );
  if (database.replica() === null) return;
  metrics.addGauge('fourfold_replica_up', 'Whether lists come from the replica of the database (1) or not (0).', () =>
    Number(database.replica()?.fault === null),
  );
  metrics.addGauge('fourfold_replica_behind_seconds', 'How far the replica was behind when it was last compared.', () =>
    toSeconds(database.replica()?.behindMs ?? null),
  );
  metrics.addCounter('fourfold_list_queries_total', 'Queries of lists, by the database that answered.', () => {
    const { fromReplica, fromPrimary } = database.replica() ?? { fromReplica: 0, fromPrimary: 0 };
    return Object.entries({ replica: fromReplica, primary: fromPrimary }).map(([from, value]) => ({
      labels: { from },
      value,
    }));
  });
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}

type Figure = readonly [name: keyof PlaybackSummary, metric: string, help: string];

const figures: readonly Figure[] = [
  [
    'viewers',
    'fourfold_playback_viewers',
    'Viewers whose players reported within the last minute, and those they stand for.',
  ],
  ['samples', 'fourfold_playback_samples', 'Seconds of single quadrants that players reported within the last minute.'],
  ['totalFrames', 'fourfold_playback_frames', 'Frames of all players within the last minute.'],
  ['droppedFrames', 'fourfold_playback_dropped_frames', 'Frames that were not shown in time within the last minute.'],
  ['stalls', 'fourfold_playback_stalls', 'Stalls of all players within the last minute.'],
  ['bufferSeconds', 'fourfold_playback_buffer_seconds', 'Mean time buffered ahead within the last minute.'],
];

/** Playback quality as players report it, summed over all viewers. The reports are not verified. */
function addPlayback(metrics: PulledMetrics, source: PlaybackSource): void {
  for (const [name, metric, help] of figures) metrics.addGauge(metric, help, () => source.lastMinute()[name]);
}

function addRounds(metrics: PulledMetrics, source: RoundsSource): void {
  metrics.addGauge('fourfold_rounds', 'Rounds of shuffled videos in memory.', () => source.facts().rounds);
  metrics.addGauge('fourfold_rounds_bytes', 'Bytes that these rounds take.', () => source.facts().bytes);
  metrics.addCounter(
    'fourfold_round_restarts_total',
    'Rounds that began again because all of their videos were shown.',
    () => source.facts().restarts,
  );
}

function addStores(metrics: PulledMetrics, { stores, copies }: Pick<MetricSources, 'stores' | 'copies'>): void {
  const read = (of: (facts: StoreFacts) => number) => () =>
    [...stores()].map(([store, facts]) => ({ labels: { store }, value: of(facts) }));
  metrics.addCounter('fourfold_store_calls_total', 'Attempts of calls to a store, by kind and outcome.', () =>
    [...stores()].flatMap(([store, { calls }]) =>
      [...calls].map(([name, value]) => {
        const [kind = '', outcome = ''] = name.split(' ');
        return { labels: { store, kind, outcome }, value };
      }),
    ),
  );
  const addCounter = (name: string, help: string, key: 'retries' | 'sentBytes' | 'receivedBytes') => {
    const readOne = read((facts) => facts[key]);
    metrics.addCounter(name, help, readOne);
  };
  addCounter('fourfold_store_retries_total', 'Calls that were made again.', 'retries');
  addCounter('fourfold_store_sent_bytes_total', 'Bytes sent to the store.', 'sentBytes');
  addCounter('fourfold_store_received_bytes_total', 'Bytes that came from the store.', 'receivedBytes');
  const secondsOf = ({ lastMs }: StoreFacts) => lastMs.reduce((sum, ms) => sum + ms, 0) / lastMs.length / 1_000;
  metrics.addGauge('fourfold_store_seconds', 'Mean time to the first byte of the last hundred calls.', () =>
    read(secondsOf)().filter(({ value }) => Number.isFinite(value)),
  );
  const help = '1 while the store is not asked, because its last calls failed.';
  const isAway = ({ isCircuitOpen }: StoreFacts) => Number(isCircuitOpen);
  metrics.addGauge('fourfold_store_away', help, read(isAway));
  metrics.addGauge('fourfold_store_copies_bytes', 'Bytes of copies on this machine.', () => copies.bytes);
}

/** How long a value counts as recent, and how long `read` waits for a new one, in milliseconds. */
interface RecentValueTimes {
  freshMs: number;
  patienceMs: number;
}

const usualTimes: RecentValueTimes = { freshMs: 10_000, patienceMs: 2_000 };

/**
 * Caches a value that is expensive to read: it is read at most once per `freshMs`, and never twice
 * at the same time.
 */
export class RecentValue<T> {
  private readonly clock: Clock;
  private readonly source: () => Promise<T>;
  private readonly onFault: (error: unknown) => void;
  private readonly times: RecentValueTimes;
  private latest: { value: Promise<T | null>; at: number } | null = null;
  private isReading = false;
  private hasFailed = false;

  /**
   * @param onFault receives the error of the first failed read; further ones are silent until a
   * read succeeds
   */
  constructor(
    clock: Clock,
    source: () => Promise<T>,
    onFault: (error: unknown) => void,
    times: RecentValueTimes = usualTimes,
  ) {
    this.clock = clock;
    this.source = source;
    this.onFault = onFault;
    this.times = times;
  }

  /** Never rejects. @returns null if the value cannot be read, or not in time */
  read(): Promise<T | null> {
    const now = this.clock.elapsed();
    if (this.latest === null || (!this.isReading && now - this.latest.at >= this.times.freshMs))
      this.latest = { value: this.readInTime(), at: now };
    return this.latest.value;
  }

  private async readInTime(): Promise<T | null> {
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(resolve, this.times.patienceMs, null).unref();
    try {
      return await Promise.race([this.readNow(), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async readNow(): Promise<T | null> {
    this.isReading = true;
    try {
      const value = await this.source();
      this.hasFailed = false;
      return value;
    } catch (error) {
      if (!this.hasFailed) this.onFault(error);
      this.hasFailed = true;
      return null;
    } finally {
      this.isReading = false;
    }
  }
}
