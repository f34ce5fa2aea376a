import { sql } from 'kysely';
import type { Executor } from '../../database/tables.ts';
import type { JobLane } from '../../jobs/job.ts';
import { encodeKind } from './jobs/encode-order.ts';

interface EncodingCounts {
  videos: number;
  waiting: number;
  failed: number;
}

export async function countEncodings(executor: Executor): Promise<EncodingCounts> {
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
}

/** On all nodes. */
export async function listRunning(executor: Executor) {
  return executor
    .selectFrom('jobs')
    .innerJoin('videos', 'videos.number', 'jobs.video_number')
    .select(['videos.number', 'videos.id', 'videos.filename', 'jobs.progress'])
    .where('jobs.state', '=', 'running')
    .where('jobs.kind', '=', encodeKind)
    .orderBy('jobs.started_at')
    .execute();
}

/** Of all nodes, queued or running, but for one that is about to end; what goes between counts with encodings. */
export async function countActive(
  executor: Executor,
  lane: Exclude<JobLane, 'between'>,
  exceptId: string | null,
): Promise<number> {
  const { rows } = await sql<{ active: number }>`select count(*) as active from jobs
    where state in ('queued', 'running') and lane in (${lane}, ${lane === 'encode' ? 'between' : lane}) and id <> ${exceptId ?? ''}`.execute(
    executor,
  );
  return Number(rows[0]?.active ?? 0);
}
