import type { z } from 'zod';
import type { performanceReportSchema } from '#contract/entities/site/performance.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { Invalid } from '../../../http/pipeline/errors.ts';
import { sampleLimits, unsentMs } from './sample-limits.ts';

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
    if (own === undefined) throw new Invalid([unnamed(index)]);
    const deviceAt = times[index] ?? Number.NaN;
    const age = Math.max(0, sentAt - deviceAt);
    return age <= unsentMs ? [{ quadrant: own, at: now - age, deviceAt, ...clampCounts(sample) }] : [];
  });
}

function unnamed(index: number) {
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
