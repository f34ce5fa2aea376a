import type { z } from 'zod';
import type { performanceReportSchema } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { Invalid } from '../../http/pipeline/errors.ts';
import { TokenBucket } from '../../limits/token-buckets.ts';

/**
 * Some seconds of one quadrant, clamped to what a player can reach and timed by the clock of this
 * server. Counts are whole numbers.
 */
export interface Sample {
  quadrant: Quadrant;
  /**
   * Epoch milliseconds: `at` by the clock of this server, `deviceAt` by that of the device, which
   * identifies the sample.
   */
  at: number;
  deviceAt: number;
  /** The number of seconds, the last of which ends at `at`. */
  seconds: number;
  droppedFrames: number;
  totalFrames: number;
  bufferMs: number;
  stalls: number;
  qualityAdjustments: number;
  failures: number;
  /** The video that a client claims was playing: it has the shape of an id, but need not exist. */
  videoId: string | null;
}

/** The shape of every id that this server makes; text that a database rejects never matches. */
const idShape = /^[\w.-]+$/;

type Report = z.output<typeof performanceReportSchema>;
type ReportedSample = Report['samples'][number];

/**
 * Reads the samples of a report that are recent enough to be counted. The clock of the device tells
 * the age of a sample; a sample that is in the future by that clock counts as current.
 * @param now epoch milliseconds, when the report came
 * @throws Invalid when a report on all quadrants does not name the quadrant of each sample
 */
export function readSamples({ samples, sent_at }: Report, quadrant: Quadrant | 'all', now: number): Sample[] {
  const times = samples.map(({ timestamp }) => Date.parse(timestamp));
  const sentAt = sent_at === undefined ? Math.max(...times) : Date.parse(sent_at);
  return samples.flatMap((sample, index) => {
    const own = quadrant === 'all' ? sample.quadrant : quadrant;
    if (own === undefined) throw new Invalid([toUnnamedProblem(index)]);
    const deviceAt = times[index] ?? Number.NaN;
    const age = Math.max(0, sentAt - deviceAt);
    return age <= unsentMs ? [{ quadrant: own, at: now - age, deviceAt, ...clampCounts(sample) }] : [];
  });
}

function toUnnamedProblem(index: number) {
  return { field: `samples.${index}.quadrant`, message: 'A report on all quadrants says of which each sample is' };
}

function clampCounts(sample: ReportedSample): Omit<Sample, 'quadrant' | 'at' | 'deviceAt'> {
  const seconds = sample.seconds ?? 1;
  const totalFrames = Math.min(sample.total_frames, sampleLimits.frames * seconds);
  // Excess frames are reduced in proportion, so that the share of dropped frames stays the same.
  const share = sample.total_frames === 0 ? 0 : totalFrames / sample.total_frames;
  return {
    seconds,
    totalFrames,
    droppedFrames: Math.round(sample.dropped_frames * share),
    bufferMs: Math.round(Math.min(sample.buffer_level_seconds * 1_000, sampleLimits.bufferMs)),
    stalls: Math.min(sample.stall_events, sampleLimits.stalls * seconds),
    qualityAdjustments: Math.min(sample.quality_adjustments, sampleLimits.qualityAdjustments * seconds),
    failures: Math.min(sample.failures ?? 0, sampleLimits.failures * seconds),
    videoId: idShape.test(sample.video_id ?? '') ? (sample.video_id ?? null) : null,
  };
}

/** The most that one second may count, which no real player exceeds: anybody can send reports. */
export const sampleLimits = {
  /** 240 frames a second, for a timer that fired four seconds late. */
  frames: 960,
  stalls: 5,
  qualityAdjustments: 5,
  /** A whole hour of a small file. */
  bufferMs: 3_600_000,
  failures: 1,
} as const;

/** The greatest age of a sample, in milliseconds. */
const unsentMs = limits.performanceUnsentMinutes * 60_000;

/** A longer pause begins another viewing session, in milliseconds. */
const sessionGapMs = limits.viewingSessionGapSeconds * 1_000;

/**
 * The age in milliseconds from which no late sample can belong to an instant or join the sessions
 * around it.
 */
export const settledAfterMs = unsentMs + sessionGapMs;

/**
 * Two samples of one quadrant are further apart than this, even when a busy page delays its timer.
 */
const binMs = 100;
/** Covers one minute more than the greatest age of a sample. */
const bins = (unsentMs + 60_000) / binMs;
/**
 * Samples stored while the device was offline arrive at once; some more allow for timers that run
 * fast.
 */
const rate = { capacity: unsentMs / 1_000 + 30, perSecond: 1 };

/**
 * Remembers which samples of one viewer's quadrant were counted: each counts once, in any order, and
 * no more seconds than pass by the clock of this server. An instance takes half a kilobyte.
 */
export class SeenSamples {
  private readonly bits = new Uint32Array(Math.ceil(bins / 32));
  /** The latest bin; all bins follow the clock of the device. */
  private latest: number | null = null;
  private readonly bucket: TokenBucket;

  /** @param now elapsed milliseconds, as in `add` */
  constructor(now: number) {
    this.bucket = new TokenBucket(rate, now);
  }

  /** @returns whether it counts: it is new, and there were not too many */
  add(deviceAt: number, now: number, seconds = 1): boolean {
    // The limit is checked before the bins move: a jump in time costs thousands of steps.
    if (this.bucket.check(seconds, now) > 0) return false;
    const bin = Math.floor(deviceAt / binMs);
    this.moveTo(bin);
    const at = placeOf(bin);
    const mask = 1 << (at % 32);
    const word = this.bits[at >> 5] ?? 0;
    if ((word & mask) !== 0) return false;
    this.bits[at >> 5] = word | mask;
    this.bucket.take(seconds, now);
    return true;
  }

  /**
   * Moves the window of bins. A jump beyond its length means that the clock of the device was
   * changed, which makes all remembered bins meaningless.
   */
  private moveTo(bin: number): void {
    const latest = this.latest ?? bin;
    if (bin <= latest - bins || bin >= latest + bins) this.bits.fill(0);
    else for (let passed = latest + 1; passed <= bin; passed += 1) this.clear(placeOf(passed));
    if (bin > latest || bin <= latest - bins) this.latest = bin;
    else this.latest = latest;
  }

  private clear(at: number): void {
    this.bits[at >> 5] = (this.bits[at >> 5] ?? 0) & ~(1 << (at % 32));
  }
}

/** The index of a bin; instants before 1970 are negative. */
function placeOf(bin: number): number {
  return ((bin % bins) + bins) % bins;
}

/** A viewing session from its first sample to its last, in epoch milliseconds. */
interface ViewingSession {
  startsAt: number;
  endsAt: number;
  stalls: number;
  /** How many devices its device stood for when it began. */
  weight: number;
}

/** The effect of one sample on the sessions around it. */
export interface SessionChange {
  /** The sessions that the sample extends or joins: none, one or two. */
  before: readonly ViewingSession[];
  after: ViewingSession;
  /** The range in which slots gain or lose a session, in epoch milliseconds. */
  from: number;
  until: number;
}

/**
 * The viewing sessions of one viewer, in one quadrant or in any, that a late sample can still
 * extend.
 */
export class ViewingSessions {
  private sessions: ViewingSession[] = [];

  /**
   * @returns the session that the sample belongs to, and the change; null when the sample lies
   * within a known session
   */
  add(at: number, weight: number): { session: ViewingSession; change: SessionChange | null } {
    const before = this.sessions.filter(
      ({ startsAt, endsAt }) => at >= startsAt - sessionGapMs && at <= endsAt + sessionGapMs,
    );
    const [own] = before;
    if (own !== undefined && before.length === 1 && at >= own.startsAt && at <= own.endsAt)
      return { session: own, change: null };
    const session = joinSessions(before, at, weight);
    this.sessions = [...this.sessions.filter((one) => !before.includes(one)), session];
    return { session, change: { before, after: session, ...findChanged(before, at) } };
  }

  /** Forgets sessions that no sample can extend any more. @returns whether any are left */
  forget(now: number): boolean {
    if (this.sessions.some(({ endsAt }) => endsAt < now - settledAfterMs))
      this.sessions = this.sessions.filter(({ endsAt }) => endsAt >= now - settledAfterMs);
    return this.sessions.length > 0;
  }

  /** The session in progress; null when the last one is over. */
  current(now: number): ViewingSession | null {
    return this.sessions.find(({ endsAt }) => endsAt >= now - sessionGapMs) ?? null;
  }
}

function joinSessions(before: readonly ViewingSession[], at: number, weight: number): ViewingSession {
  const [first] = before.toSorted((a, b) => a.startsAt - b.startsAt);
  return {
    weight: first?.weight ?? weight,
    startsAt: Math.min(at, ...before.map(({ startsAt }) => startsAt)),
    endsAt: Math.max(at, ...before.map(({ endsAt }) => endsAt)),
    stalls: before.reduce((sum, { stalls }) => sum + stalls, 0),
  };
}

/** The range between the sample and the nearest ends of the sessions that it joins. */
function findChanged(before: readonly ViewingSession[], at: number): { from: number; until: number } {
  return {
    from: Math.min(at, ...before.filter(({ endsAt }) => endsAt < at).map(({ endsAt }) => endsAt)),
    until: Math.max(at, ...before.filter(({ startsAt }) => startsAt > at).map(({ startsAt }) => startsAt)),
  };
}
