import { sql } from 'kysely';
import type { Processing } from '#contract/entities/video.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { JobLane } from '../../jobs/job.ts';
import { audioKind, encodeKind, encodePriority } from './encode-order.ts';

/** Encodings that wait or run. */
export const processingRepository = {
  /**
   * The encoding state by video number: queued and running encodings, and failed ones of videos
   * that nothing else plays.
   */
  async list(executor: Executor, videoNumbers: readonly number[]): Promise<Map<number, Processing>> {
    const found = new Map<number, Processing>();
    for (let from = 0; from < videoNumbers.length; from += inListLength) {
      const slice = videoNumbers.slice(from, from + inListLength);
      for (const row of await listFailed(executor, slice)) found.set(row.number, { state: 'failed', progress: 0 });
      for (const { video_number, state, progress } of await listActive(executor, slice))
        if (video_number !== null) found.set(video_number, { state, progress });
    }
    return found;
  },

  async count(executor: Executor): Promise<EncodingCounts> {
    const { rows } = await sql<EncodingCounts>`select
      (select count(distinct video_number) from encodings) as videos,
      (select count(*) from jobs where state = 'queued' and lane in ('encode', 'between')) as waiting,
      (select count(*) from media_findings as found join videos on videos.number = found.video_number
        and videos.size = found.size and videos.modified_us = found.modified_us
        where found.failure is not null) as failed`.execute(executor);
    const [counts] = rows;
    return {
      videos: Number(counts?.videos ?? 0),
      waiting: Number(counts?.waiting ?? 0),
      failed: Number(counts?.failed ?? 0),
    };
  },

  /** The running encodings of all nodes. */
  async listRunning(executor: Executor) {
    return executor
      .selectFrom('jobs')
      .innerJoin('videos', 'videos.number', 'jobs.video_number')
      .select(['videos.number', 'videos.id', 'videos.filename', 'jobs.progress'])
      .where('jobs.state', '=', 'running')
      .where('jobs.kind', 'in', [encodeKind, audioKind])
      .orderBy('jobs.started_at')
      .execute();
  },

  /**
   * The number of queued and running jobs of all nodes, except one that is about to end; the
   * `between` lane counts with `encode`.
   */
  async countActive(executor: Executor, lane: Exclude<JobLane, 'between'>, exceptId: string | null): Promise<number> {
    const { rows } = await sql<{ active: number }>`select count(*) as active from jobs
      where state in ('queued', 'running') and lane in (${lane}, ${lane === 'encode' ? 'between' : lane}) and id <> ${exceptId ?? ''}`.execute(
      executor,
    );
    return Number(rows[0]?.active ?? 0);
  },

  /** The state of the last job with this subject; null when there is none, or it has ended well. */
  async findAudio(executor: Executor, videoNumber: number, subject: string): Promise<Processing | null> {
    const job = await executor
      .selectFrom('jobs')
      .select(['state', 'progress'])
      .where('video_number', '=', videoNumber)
      .where('kind', '=', audioKind)
      .where('subject', '=', subject)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (job?.state === 'queued' || job?.state === 'running') return { state: job.state, progress: job.progress };
    return job?.state === 'failed' ? { state: 'failed', progress: 0 } : null;
  },

  /** The number of queued and running jobs of all nodes for videos that somebody waits for. */
  async countAwaited(executor: Executor, purpose: 'waiting' | 'chosen' = 'waiting'): Promise<number> {
    const { awaited } = await executor
      .selectFrom('jobs')
      .select((select) => select.fn.countAll().as('awaited'))
      .where('state', 'in', ['queued', 'running'])
      .where('kind', '=', purpose === 'chosen' ? audioKind : encodeKind)
      .where('priority', '=', encodePriority[purpose])
      .executeTakeFirstOrThrow();
    return Number(awaited);
  },
};

async function listActive(executor: Executor, videoNumbers: readonly number[]) {
  const rows = await executor
    .selectFrom('jobs')
    .select(['video_number', 'state', 'progress'])
    .where('video_number', 'in', videoNumbers)
    .where('kind', '=', encodeKind)
    .where('active_key', 'is not', null)
    .execute();
  return rows.map((row) => ({ ...row, state: row.state === 'running' ? ('running' as const) : ('queued' as const) }));
}

/** Leaves out failures of videos that play as they are: those concern nobody. */
function listFailed(executor: Executor, videoNumbers: readonly number[]) {
  return executor
    .selectFrom('media_findings as found')
    .innerJoin('videos', (join) =>
      join
        .onRef('videos.number', '=', 'found.video_number')
        .onRef('videos.size', '=', 'found.size')
        .onRef('videos.modified_us', '=', 'found.modified_us'),
    )
    .select('videos.number')
    .where('found.video_number', 'in', videoNumbers)
    .where('found.failure', 'is not', null)
    .where('videos.reason', 'is not', null)
    .execute();
}

interface EncodingCounts {
  videos: number;
  waiting: number;
  failed: number;
}
