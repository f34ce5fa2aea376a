import type { Processing } from '#contract/entities/video.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import { encodeKind } from './jobs/encode-order.ts';

/** What is being done on some videos, and what could not be done where nothing else plays them. By video number. */
export async function listProcessing(
  executor: Executor,
  videoNumbers: readonly number[],
): Promise<Map<number, Processing>> {
  const found = new Map<number, Processing>();
  for (let from = 0; from < videoNumbers.length; from += inListLength) {
    const slice = videoNumbers.slice(from, from + inListLength);
    for (const row of await listFailed(executor, slice)) found.set(row.number, { state: 'failed', progress: 0 });
    for (const { video_number, state, progress } of await listActive(executor, slice))
      if (video_number !== null) found.set(video_number, { state, progress });
  }
  return found;
}

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

/** That an encoding failed of what plays as it is concerns nobody. */
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
