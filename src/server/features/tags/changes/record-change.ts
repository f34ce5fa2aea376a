import type { TagChangeKind } from '#contract/rules/tags/tag-change.ts';
import type { Clock } from '../../../clock.ts';
import type { Executor } from '../../../database/tables.ts';
import type { Ids } from '../../../ids.ts';
import { findUsername } from '../../activity/activity-repository.ts';
import { insertChange, insertChangeTags } from './change-repository.ts';

export interface NewTagChange {
  kind: TagChangeKind;
  /** Name of the tag, or of the file. */
  subject: string;
  /** Name of the tag that it is merged into. */
  detail?: string | null;
  actorId: string;
  /** Numbers of the tags that it removes, merges away or creates. */
  tags: readonly number[];
  links: number;
  /** `running`: a job does it, with `change` in its payload. */
  state: 'running' | 'done';
}

/** Part of the transaction that makes a change, or queues it. @returns its number */
export async function recordChange(
  transaction: Executor,
  { clock, ids }: { clock: Clock; ids: Ids },
  { actorId, tags, detail = null, ...change }: NewTagChange,
): Promise<number> {
  const now = clock.now();
  const number = await insertChange(transaction, {
    ...change,
    id: ids.long(),
    detail,
    made_by: await findUsername(transaction, actorId),
    created_at: now,
    finished_at: change.state === 'done' ? now : null,
    tags: tags.length,
    error: null,
  });
  await insertChangeTags(transaction, number, tags);
  return number;
}
