import type { Encodings } from '../features/encodings/encodings.ts';
import type { Scanner } from '../features/library/scan/scanner.ts';
import { scanKind } from '../features/library/scan/scanner.ts';
import { withheldVideoRepository } from '../features/library/withheld-video-repository.ts';
import { PlaybackHealth } from '../features/performance/playback-health.ts';
import { BandwidthRecorder } from '../features/performance/stats-writer.ts';
import type { Venues } from '../features/performance/venues.ts';
import type { ByteSender } from '../features/streaming/byte-sender.ts';
import { uploadSessionRepository } from '../features/uploads/session-repository.ts';
import { idleHours } from '../features/uploads/upload-file.ts';
import type { Uploads } from '../features/uploads/uploads.ts';
import type { VideoPlays } from '../features/videos/video-plays.ts';
import type { Rounds } from '../features/watched/rounds.ts';
import type { Foundations } from '../foundations.ts';
import type { UnreadBytes } from '../http/connections/unread-bytes.ts';
import type { JobState } from '../jobs/job.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { jobRepository } from '../jobs/job-repository.ts';
import type { FinishedScan, MetricSources, Metrics, StoredCounts } from '../metrics/metrics.ts';
import type { StorageServices } from './storage-services.ts';
import { readStoreFacts } from './storage-services.ts';

/**
 * Creates the statistics of playback, which also tell the encoder when to leave time to viewers.
 */
export function createPlaybackHealth(
  foundations: Foundations,
  encodings: Pick<Encodings, 'noteStalls'>,
  plays: VideoPlays,
  venues: Venues,
): PlaybackHealth {
  const { sentBytes, node, nodes } = foundations;
  return new PlaybackHealth(
    {
      ...foundations,
      hasBytes: (viewer) => sentBytes.hasSent(viewer),
      onPlayed: (videoId, ms) => plays.add(videoId, ms),
      onStalls() {
        encodings.noteStalls();
        nodes.noteStall();
      },
    },
    [new BandwidthRecorder(sentBytes, node), venues, { ...nothingOld, unwritten: () => plays.unwritten() }],
  );
}

/** Playing times are kept as long as their videos. */
const nothingOld = { tidy: async () => {}, close: () => {} };

/** The services whose work the metrics count. */
interface MeasuredServices extends Pick<StorageServices, 'store' | 'libraryStores' | 'copies'> {
  overload: MetricSources['overload'];
  sender: ByteSender;
  unread: UnreadBytes;
  scanner: Scanner;
  playbackHealth: PlaybackHealth;
  uploads: Uploads;
  encodings: Pick<Encodings, 'usedBytes'>;
  rounds: Pick<Rounds, 'facts'>;
}

/**
 * Null unless a monitor may read the metrics: otherwise nothing is counted, and the metrics library
 * is not loaded.
 */
export async function openMetrics(foundations: Foundations, measured: MeasuredServices): Promise<Metrics | null> {
  const { env, version, clock, log, database, streams, sentBytes, idSets } = foundations;
  const { overload, sender, unread, scanner, playbackHealth, uploads, encodings, rounds, copies } = measured;
  if (env.metricsToken === undefined) return null;
  const { Metrics } = await import('../metrics/metrics.ts');
  return new Metrics({
    version,
    clock,
    log,
    database,
    overload,
    streaming: { streams, unread, pool: sender.pool, stalls: sender.stalls, sentBytes },
    uploads: uploads.receiver,
    library: {
      countAvailable: () => idSets.count({ tags: [], mode: 'OR', blocked: [] }),
      isScanning: () => scanner.facts().isRunning,
    },
    playback: playbackHealth,
    rounds,
    stores: () => readStoreFacts(measured, scanner.storeFacts),
    copies,
    readCounts: () => readCounts(foundations, encodings),
  });
}

async function readCounts(
  { database: { reader }, clock, jobs }: Foundations,
  encodings: Pick<Encodings, 'usedBytes'>,
): Promise<StoredCounts> {
  return {
    jobs: boundKinds(jobs, await jobRepository.countKinds(reader)),
    openUploads: await uploadSessionRepository.countAllOpen(reader, clock.now() - idleHours * 3_600_000),
    encodingBytes: await encodings.usedBytes(),
    unplayableVideos: await withheldVideoRepository.countUnplayable(reader, ''),
    lastScan: toFinished(await jobRepository.findLastEnded(reader, scanKind, 'done')),
  };
}

/**
 * Limits the kinds to those of this version, including kinds without jobs; all jobs of other kinds
 * count as `other`.
 */
function boundKinds(
  jobs: JobQueue,
  counts: ReadonlyMap<string, ReadonlyMap<JobState, number>>,
): Map<string, ReadonlyMap<JobState, number>> {
  const bound = new Map<string, Map<JobState, number>>(jobs.kinds().map(({ kind }) => [kind, new Map()]));
  for (const [kind, states] of counts) {
    const name = bound.has(kind) ? kind : 'other';
    const known = bound.get(name) ?? new Map<JobState, number>();
    for (const [state, count] of states) known.set(state, count + (known.get(state) ?? 0));
    bound.set(name, known);
  }
  return bound;
}

function toFinished(scan: { startedAt: number | null; finishedAt: number | null } | null): FinishedScan | null {
  const { startedAt = null, finishedAt = null } = scan ?? {};
  return startedAt === null || finishedAt === null ? null : { startedAt, finishedAt };
}
