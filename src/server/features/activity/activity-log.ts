import type { Activity, ActivityKind, ActivityList } from '#contract/entities/site.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { ListedActivity } from './activity-repository.ts';
import { activityRepository } from './activity-repository.ts';

interface ActivityRecord {
  /** Id of the actor, whose current username is stored. Null: the site itself. */
  actorId: string | null;
  kind: ActivityKind;
  /** Name of the object of the act. */
  subject?: string | null;
  /** A tier, a date or names of fields. It never contains passwords or other typed credentials. */
  detail?: string | null;
}

/** Usernames are shorter; paths of videos may be longer. */
const maxCharacters = 200;

/**
 * Records an act in the transaction that performs it, before that deletes the actor's account.
 * @param now epoch milliseconds
 * @returns number of the line
 */
export async function recordActivity(
  transaction: Executor,
  { actorId, kind, subject = null, detail = null }: ActivityRecord,
  now: number,
): Promise<number> {
  return activityRepository.insert(transaction, {
    at: now,
    actor: actorId === null ? null : await activityRepository.findUsername(transaction, actorId),
    kind,
    subject: cut(subject),
    detail: cut(detail),
  });
}

/** Cuts a text by code points, because PostgreSQL rejects half a surrogate pair. */
function cut(text: string | null): string | null {
  if (text === null) return null;
  const points = Array.from(text.slice(0, 2 * maxCharacters + 2));
  return points.length <= maxCharacters ? text : `${points.slice(0, maxCharacters - 1).join('')}…`;
}

/** Lists acts, latest first. */
export async function readActivityPage(
  { lists }: Pick<Database, 'lists'>,
  { page, limit }: { page: number; limit: number },
): Promise<ActivityList> {
  const total = await activityRepository.count(lists);
  const activities = await activityRepository.list(lists, { limit, offset: (page - 1) * limit });
  return { activities: activities.map(toActivity), total, total_pages: lastPageOf(total, limit), page, limit };
}

function toActivity({ number, at, canUndo, ...words }: ListedActivity): Activity {
  return { id: String(number), at: new Date(at).toISOString(), ...words, can_undo: canUndo };
}
