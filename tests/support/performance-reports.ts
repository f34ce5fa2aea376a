import type { LightMyRequestResponse } from 'fastify';
import type { Performance, PerformanceReport } from '#contract/entities/performance.ts';
import { performanceSchema } from '#contract/entities/performance.ts';
import type { ServerUnderTest } from './server-under-test.ts';

export type ReportedSample = PerformanceReport['samples'][number];

/** A second in which all went well, but for what `facts` say. */
export function sampleAt(at: number, facts: Partial<ReportedSample> = {}): ReportedSample {
  return {
    timestamp: new Date(at).toISOString(),
    dropped_frames: 0,
    total_frames: 30,
    buffer_level_seconds: 10,
    stall_events: 0,
    quality_adjustments: 0,
    ...facts,
  };
}

/** Good samples of so many seconds that follow each other, the last one at an instant. */
export function samplesUntil(at: number, seconds: number, facts: Partial<ReportedSample> = {}): ReportedSample[] {
  return Array.from({ length: seconds }, (_, index) => sampleAt(at - (seconds - 1 - index) * 1_000, facts));
}

/** @param viewer its cookie, 24 characters; without one its address counts */
export function sendReport(
  server: ServerUnderTest,
  quadrant: string,
  body: unknown,
  { viewer, remoteAddress }: { viewer?: string; remoteAddress?: string } = {},
): Promise<LightMyRequestResponse> {
  const headers = viewer === undefined ? {} : { cookie: `viewer=${viewer}` };
  return server.call('POST', `/api/optimization/performance/${quadrant}`, {
    headers,
    payload: body as object,
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
  });
}

export async function readHealth(
  server: ServerUnderTest,
  headers: Record<string, string>,
  quadrant: string,
  duration = '5m',
): Promise<Performance> {
  const reply = await server.get(`/api/optimization/performance/${quadrant}?duration=${duration}`, headers);
  return performanceSchema.parse(reply.json());
}

/** The cookie of a made-up viewer. */
export function viewerCookie(number: number): string {
  return `viewer${String(number).padStart(18, '0')}`;
}
