import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { TransferPlan } from './transfer-plan.ts';

/** How many links of a plan there are already, put there by people. */
export async function countPresentLinks(
  executor: Executor,
  plan: TransferPlan,
): Promise<{ present: number; added: number }> {
  let [present, all] = [0, 0];
  for (const { target, videos } of plan.list()) {
    all += videos.size;
    if ('number' in target) present += await countOnTag(executor, target.number, [...videos]);
  }
  return { present, added: all - present };
}

async function countOnTag(executor: Executor, tagNumber: number, videos: readonly number[]): Promise<number> {
  let count = 0;
  for (let from = 0; from < videos.length; from += inListLength) {
    const rows = await executor
      .selectFrom('video_tags')
      .select('video_number')
      .where('tag_number', '=', tagNumber)
      .where('by_folder', '=', 0)
      .where('video_number', 'in', videos.slice(from, from + inListLength))
      .execute();
    count += rows.length;
  }
  return count;
}
