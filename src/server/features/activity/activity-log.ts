import type { Activity, ActivityKind, ActivityList } from '#contract/entities/site.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { StoredActivity } from './activity-repository.ts';
import { countActivities, findUsername, insertActivity, listActivities } from './activity-repository.ts';

interface ActivityRecord {
  /** Id of whoever did it, whose username is stored as it is at this moment; null: the site itself. */
  actorId: string | null;
  kind: ActivityKind;
  /** Name of what it was done to. */
  subject?: string | null;
  /** A tier, a date, the names of fields. Never what somebody typed as a password or to sign in with. */
  detail?: string | null;
}

/** Names of accounts are shorter; paths of videos may be longer. */
const maxCharacters = 200;

/**
 * Part of the transaction that does what is recorded, and before it deletes the account of the actor.
 * @param now epoch milliseconds
 */
export async function recordActivity(
  transaction: Executor,
  { actorId, kind, subject = null, detail = null }: ActivityRecord,
  now: number,
): Promise<void> {
  await insertActivity(transaction, {
    at: now,
    actor: actorId === null ? null : await findUsername(transaction, actorId),
    kind,
    subject: cut(subject),
    detail: cut(detail),
  });
}

/** By code points: half a surrogate pair is no text for PostgreSQL. */
function cut(text: string | null): string | null {
  if (text === null) return null;
  const points = Array.from(text.slice(0, 2 * maxCharacters + 2));
  return points.length <= maxCharacters ? text : `${points.slice(0, maxCharacters - 1).join('')}…`;
}

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
