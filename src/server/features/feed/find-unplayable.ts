import type { DeviceClass } from '#contract/rules/media/needs.ts';
import { showsPicture } from '#contract/rules/media/needs.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import type { Unplayable } from './feed-repository.ts';
import { findPresent, listUnplayable } from './feed-repository.ts';

/** Beyond so many rows that do not explain it, nothing does: it is a sentence on a screen. */
const maxPages = 20;

/**
 * The videos of a selection that are there and that a device cannot play, newest first: those that others play, then
 * those that nothing plays. For a selection of which this device plays none.
 * @param selection all that match, whatever the device lacks
 */
export async function* findUnplayable(
  executor: Executor,
  idSets: IdSets,
  selection: TagSelection,
  device: DeviceClass,
): AsyncGenerator<Unplayable> {
  for (let page = 0; page < maxPages; page += 1) {
    const { numbers } = idSets.page(selection, page * inListLength, inListLength);
    const rows = await findPresent(executor, numbers);
    // What has come since nothing could be drawn is drawn next time.
    yield* rows.filter(({ reason, needs }) => reason !== null || !showsPicture(needs, device));
    if (numbers.length < inListLength) break;
  }
  yield* selection.tags.length === 0
    ? findUnblocked(executor, idSets, selection.blocked)
    : findTagged(executor, idSets, selection);
}

async function* findTagged(executor: Executor, idSets: IdSets, selection: TagSelection): AsyncGenerator<Unplayable> {
  for (let page = 0; page < maxPages; page += 1) {
    const numbers = idSets.pageUnavailable(selection, page * inListLength, inListLength);
    yield* await findPresent(executor, numbers);
    if (numbers.length < inListLength) return;
  }
}

async function* findUnblocked(
  executor: Executor,
  idSets: IdSets,
  blocked: readonly number[],
): AsyncGenerator<Unplayable> {
  let before: number | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const rows: Unplayable[] = await listUnplayable(executor, before, inListLength);
    yield* rows.filter(({ number }) => !idSets.isOnAny(blocked, number));
    if (rows.length < inListLength) return;
    before = rows.at(-1)?.number ?? before;
  }
}
