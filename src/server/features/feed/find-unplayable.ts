import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import type { Unplayable } from './feed-repository.ts';
import { findUnplayable, listUnplayable } from './feed-repository.ts';

/** Beyond so many rows that do not explain it, nothing does: it is a sentence on a screen. */
const maxPages = 20;

/** One of the matching videos that are there and cannot be played; for a selection of which none is available. */
export async function findOneUnplayable(
  executor: Executor,
  idSets: IdSets,
  selection: TagSelection,
): Promise<Unplayable | undefined> {
  return selection.tags.length === 0
    ? findUnblocked(executor, idSets, selection.blocked)
    : findTagged(executor, idSets, selection);
}

async function findTagged(
  executor: Executor,
  idSets: IdSets,
  selection: TagSelection,
): Promise<Unplayable | undefined> {
  for (let page = 0; page < maxPages; page += 1) {
    const numbers = idSets.pageUnavailable(selection, page * inListLength, inListLength);
    const [found] = await findUnplayable(executor, numbers);
    if (found !== undefined || numbers.length < inListLength) return found;
  }
  return undefined;
}

async function findUnblocked(
  executor: Executor,
  idSets: IdSets,
  blocked: readonly number[],
): Promise<Unplayable | undefined> {
  for (let page = 0, after = 0; page < maxPages; page += 1) {
    const rows = await listUnplayable(executor, after, inListLength);
    const found = rows.find(({ number }) => !idSets.isOnAny(blocked, number));
    if (found !== undefined || rows.length < inListLength) return found;
    after = rows.at(-1)?.number ?? after;
  }
  return undefined;
}
