import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { UnreadBytes } from '../http/connections/unread-bytes.ts';
import type { OpenStreams } from '../http/pipeline/open-streams.ts';
import type { SentBytes } from '../http/sent-bytes/sent-bytes.ts';
import type { JobState } from '../jobs/job.ts';
import type { Log } from '../log.ts';

/** What a monitor's figures are read from. Nothing of it names a person, an address or a video. */
export interface MetricSources {
  version: string;
  clock: Clock;
  log: Log;
  database: Pick<Database, 'dialect' | 'load'>;
  streaming: StreamingSources;
  uploads: { readonly receivedBytes: number };
  library: { countAvailable(): number; isScanning(): boolean };
  playback: PlaybackSource;
  /** Asks the database; throws while it does not answer. */
  readCounts(): Promise<StoredCounts>;
}

export interface StreamingSources {
  streams: Pick<OpenStreams, 'size'>;
  unread: Pick<UnreadBytes, 'held'>;
  pool: { readonly inFlight: number; readonly kept: number };
  stalls: { readonly stalledBytes: number };
  sentBytes: Pick<SentBytes, 'total'>;
}

/** What the database counts. */
export interface StoredCounts {
  /** By kind, of the kinds that are known; the rest counts as `other`. */
  jobs: ReadonlyMap<string, ReadonlyMap<JobState, number>>;
  openUploads: number;
  unplayableVideos: number;
  /** Bytes of encodings and of what was made with them. */
  encodingBytes: number;
  lastScan: FinishedScan | null;
}

/** Epoch milliseconds. */
export interface FinishedScan {
  startedAt: number;
  finishedAt: number;
}

export interface PlaybackSource {
  lastMinute(): PlaybackSummary;
}

/** What the players of all viewers reported to this process within the last minute. */
export interface PlaybackSummary {
  viewers: number;
  samples: number;
  droppedFrames: number;
  totalFrames: number;
  stalls: number;
  /** Seconds that are buffered ahead, the mean over the samples; null without any. */
  bufferSeconds: number | null;
}
