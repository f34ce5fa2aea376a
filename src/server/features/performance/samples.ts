import type { z } from 'zod';
import type { performanceReportSchema } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { Invalid } from '../../http/pipeline/errors.ts';

/** One second of one quadrant, within what a player can reach and by this server's clock. Counts are whole. */
export interface Sample {
  quadrant: Quadrant;
  /** Epoch milliseconds: `at` of this server, `deviceAt` as the device says, which names the sample. */
  at: number;
  deviceAt: number;
  droppedFrames: number;
  totalFrames: number;
  bufferMs: number;
  stalls: number;
  qualityAdjustments: number;
  failures: number;
  /** What somebody says was playing: it has the shape of an id, and need not exist. */
  videoId: string | null;
}

/** Of every id that this server makes; no text that a database refuses has it. */
const idShape = /^[\w.-]+$/;

type Report = z.output<typeof performanceReportSchema>;
type ReportedSample = Report['samples'][number];

/**
 * The samples of a report that are not too old to be counted. How old one is, the device's own clock says; what it
 * believes to be in its future is of now.
 * @param now epoch milliseconds, when the report came
 * @throws Invalid when a report on all quadrants does not name that of each sample
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
  const totalFrames = Math.min(sample.total_frames, sampleLimits.frames);
  // In proportion: what is too much keeps its share of dropped frames.
  const share = sample.total_frames === 0 ? 0 : totalFrames / sample.total_frames;
  return {
    totalFrames,
    droppedFrames: Math.round(sample.dropped_frames * share),
    bufferMs: Math.round(Math.min(sample.buffer_level_seconds * 1_000, sampleLimits.bufferMs)),
    stalls: Math.min(sample.stall_events, sampleLimits.stalls),
    qualityAdjustments: Math.min(sample.quality_adjustments, sampleLimits.qualityAdjustments),
    failures: Math.min(sample.failures ?? 0, sampleLimits.failures),
    videoId: idShape.test(sample.video_id ?? '') ? (sample.video_id ?? null) : null,
  };
}

/** What no player exceeds in one sample: reports come from anybody, and these are the most that one may weigh. */
export const sampleLimits = {
  /** 240 a second, of a timer that came four seconds late. */
  frames: 960,
  stalls: 5,
  qualityAdjustments: 5,
  /** A whole hour of a small file. */
  bufferMs: 3_600_000,
  failures: 1,
} as const;

/** How late a sample may come, in milliseconds. */
const unsentMs = limits.performanceUnsentMinutes * 60_000;

/** A longer pause begins another viewing session, in milliseconds. */
const sessionGapMs = limits.viewingSessionGapSeconds * 1_000;

/** After it nothing that comes late can belong to an instant, or join the sessions around it, in milliseconds. */
export const settledAfterMs = unsentMs + sessionGapMs;

/** Two samples of one second are further apart, also where a busy page delays its timer. */
const binMs = 100;
/** A minute more than a sample may be late by. */
const bins = (unsentMs + 60_000) / binMs;
/** What was stored while there was no network comes at once, with a little for timers that run fast. */
const burst = unsentMs / 1_000 + 30;

/**
 * Which samples of one viewer's quadrant were counted: each once, in any order, and one a second of this server's time.
 * Half a kilobyte.
 */
export class SeenSamples {
  private readonly bits = new Uint32Array(Math.ceil(bins / 32));
  /** The latest one, as all bins by the device's clock. */
  private latest: number | null = null;
  private allowed = burst;
  private allowedAt: number;

  /** @param now elapsed milliseconds, as in `add` */
  constructor(now: number) {
    this.allowedAt = now;
  }

  /** @returns whether it counts: it has not come before, and there were not too many */
  add(deviceAt: number, now: number): boolean {
    this.allowed = Math.min(burst, this.allowed + (now - this.allowedAt) / 1_000);
    this.allowedAt = now;
    // Before anything is moved: a jump through time costs thousands of steps.
    if (this.allowed < 1) return false;
    const bin = Math.floor(deviceAt / binMs);
    this.moveTo(bin);
    const at = placeOf(bin);
    const mask = 1 << (at % 32);
    const word = this.bits[at >> 5] ?? 0;
    if ((word & mask) !== 0) return false;
    this.bits[at >> 5] = word | mask;
    this.allowed -= 1;
    return true;
  }

  /** Far behind the latest one the clock of the device was set back, and what was seen by it means nothing. */
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

/** Instants before 1970 are negative. */
function placeOf(bin: number): number {
  return ((bin % bins) + bins) % bins;
}

/** From its first sample to its last, epoch milliseconds. */
interface ViewingSession {
  startsAt: number;
  endsAt: number;
  stalls: number;
}

/** What one sample made of the sessions around it. */
export interface SessionChange {
  /** Those that it belongs to now as one: none, one, or two that it joins. */
  before: readonly ViewingSession[];
  after: ViewingSession;
  /** Outside of it no slot has more or fewer sessions. Epoch milliseconds. */
  from: number;
  until: number;
}

/** The viewing sessions of one viewer, in one quadrant or in any: those that a late sample can still reach. */
export class ViewingSessions {
  private sessions: ViewingSession[] = [];

  /** @returns the session that the sample is part of, and what has changed; null when it lies within what was known */
  add(at: number): { session: ViewingSession; change: SessionChange | null } {
    const before = this.sessions.filter(
      ({ startsAt, endsAt }) => at >= startsAt - sessionGapMs && at <= endsAt + sessionGapMs,
    );
    const [own] = before;
    if (own !== undefined && before.length === 1 && at >= own.startsAt && at <= own.endsAt)
      return { session: own, change: null };
    const session = joinSessions(before, at);
    this.sessions = [...this.sessions.filter((one) => !before.includes(one)), session];
    return { session, change: { before, after: session, ...findChanged(before, at) } };
  }

  /** Those that nothing can be added to any more. @returns whether any are left */
  forget(now: number): boolean {
    if (this.sessions.some(({ endsAt }) => endsAt < now - settledAfterMs))
      this.sessions = this.sessions.filter(({ endsAt }) => endsAt >= now - settledAfterMs);
    return this.sessions.length > 0;
  }

  /** The one that goes on; null when the last is over. */
  current(now: number): ViewingSession | null {
    return this.sessions.find(({ endsAt }) => endsAt >= now - sessionGapMs) ?? null;
  }
}

function joinSessions(before: readonly ViewingSession[], at: number): ViewingSession {
  return {
    startsAt: Math.min(at, ...before.map(({ startsAt }) => startsAt)),
    endsAt: Math.max(at, ...before.map(({ endsAt }) => endsAt)),
    stalls: before.reduce((sum, { stalls }) => sum + stalls, 0),
  };
}

/** Between the sample and the nearest ends of what it joins. */
function findChanged(before: readonly ViewingSession[], at: number): { from: number; until: number } {
  return {
    from: Math.min(at, ...before.filter(({ endsAt }) => endsAt < at).map(({ endsAt }) => endsAt)),
    until: Math.max(at, ...before.filter(({ startsAt }) => startsAt > at).map(({ startsAt }) => startsAt)),
  };
}
