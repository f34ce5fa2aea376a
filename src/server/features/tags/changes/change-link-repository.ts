import type { Executor } from '../../../database/tables.ts';

/** Somebody puts tags on a video, which may be there by a change: when that is undone, they stay. */
export async function claimLinks(
  executor: Executor,
  videoNumber: number,
  tagNumbers: readonly number[],
): Promise<void> {
  await executor
    .deleteFrom('tag_change_links')
    .where('change_number', 'in', executor.selectFrom('tag_changes').select('number').where('kind', '!=', 'removal'))
    .where('tag_number', 'in', tagNumbers)
    .where('video_number', '=', videoNumber)
    .where('state', '=', 'added')
    .execute();
}
