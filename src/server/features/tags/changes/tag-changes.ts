import type { TagChangeList, TagChangeRecord, TagChangeReply } from '#contract/entities/tag-change.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { NotFound } from '../../../http/pipeline/errors.ts';
import type { TagChange } from './change-repository.ts';
import { countChanges, listChanges, readChange } from './change-repository.ts';
import { undoableMs } from './undo-change.ts';

/** What can be undone, or was; the latest first. */
export async function readChangePage(
  { database: { reader }, clock }: { database: Database; clock: Clock },
  { page, limit }: { page: number; limit: number },
): Promise<TagChangeList> {
  const since = clock.now() - undoableMs;
  const total = await countChanges(reader, since);
  const changes = await listChanges(reader, { since, limit, offset: (page - 1) * limit });
  return { changes: changes.map(toRecord), total, total_pages: lastPageOf(total, limit), page, limit };
}

/** @throws NotFound */
export async function readChangeReply({ reader }: Database, number: number): Promise<TagChangeReply> {
  const change = await readChange(reader, number);
  if (change === null) throw new NotFound('change');
  return { change: toRecord(change) };
}

function toRecord({ id, kind, state, subject, detail, made_by, created_at, tags, links, error }: TagChange) {
  return {
    id,
    kind,
    state,
    subject,
    detail,
    made_by,
    created_at: new Date(created_at).toISOString(),
    expires_at: new Date(created_at + undoableMs).toISOString(),
    tags,
    links,
    error,
  } satisfies TagChangeRecord;
}
