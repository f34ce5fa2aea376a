import type { Activity, ActivityList } from '#contract/entities/site/activity.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import type { StoredActivity } from './activity-repository.ts';
import { countActivities, listActivities } from './activity-repository.ts';

/** The latest first. */
export async function readActivityPage(
  { reader }: Pick<Database, 'reader'>,
  { page, limit }: { page: number; limit: number },
): Promise<ActivityList> {
  const total = await countActivities(reader);
  const activities = await listActivities(reader, { limit, offset: (page - 1) * limit });
  return { activities: activities.map(toActivity), total, total_pages: lastPageOf(total, limit), page, limit };
}

function toActivity({ number, at, actor, kind, subject, detail }: StoredActivity): Activity {
  return { id: String(number), at: new Date(at).toISOString(), actor, kind, subject, detail };
}
