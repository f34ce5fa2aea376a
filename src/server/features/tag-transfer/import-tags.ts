import type { TagImportReply } from '#contract/entities/tag-change.ts';
import type { Executor } from '../../database/tables.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { TagChangeDeps } from '../tags/changes/change-jobs.ts';
import { recordChange } from '../tags/changes/record-change.ts';
import { readChangeReply } from '../tags/changes/tag-changes.ts';
import { requireRoomForTags } from '../tags/edit-tags.ts';
import type { TagCatalogue } from '../tags/tag-catalogue.ts';
import { tagNameKey } from '../tags/tag-repository.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { applyTransfer } from './apply-transfer.ts';
import { countPresentLinks } from './present-links.ts';
import type { TransferFile } from './read-transfer.ts';
import { readTransfer } from './read-transfer.ts';
import type { FindTagNumber } from './transfer-plan.ts';

export interface TransferDeps extends TagChangeDeps {
  tagCatalogue: TagCatalogue;
  places: PathResolver;
}

export interface ImportRequest extends TransferFile {
  filename: string;
  dry_run: boolean;
}

/**
 * What a file would change; unless it is a dry run, the change begins.
 * @throws Invalid for too many lines @throws Refusal 409 for more channels than a site can have
 */
export async function importTags(deps: TransferDeps, request: ImportRequest, actorId: string): Promise<TagImportReply> {
  const { plan, failed } = await readTransfer(request, deps.places, await tagFinder(deps.tagCatalogue));
  const { present, added } = await countPresentLinks(deps.database.reader, plan);
  const facts = {
    dry_run: request.dry_run,
    tags_created: plan.countNewTags(),
    links_added: added,
    links_present: present,
    failed_count: failed.count,
    failed: failed.first,
  };
  if (facts.tags_created > 0) await requireRoomForTags(deps.database.reader, facts.tags_created);
  if (request.dry_run || facts.tags_created + added === 0) return { ...facts, change: null };
  const number = await deps.writeTags((transaction) =>
    beginChange(transaction, deps, { kind: 'import', subject: request.filename, actorId }),
  );
  await applyTransfer(deps, number, plan);
  return { ...facts, ...(await readChangeReply(deps.database, number)) };
}

/** As part of a transaction of `writeTags`. @returns number of the change, which runs until its job is done */
export async function beginChange(
  transaction: Executor,
  deps: TagChangeDeps,
  facts: { kind: 'import' | 'sidecars'; subject: string; actorId: string },
): Promise<number> {
  const { actorId, subject } = facts;
  await recordActivity(transaction, { actorId, kind: 'tags_imported', subject }, deps.clock.now());
  return recordChange(transaction, deps, { ...facts, tags: [], links: 0, state: 'running' });
}

/** By the names and other names of the tags as they are now. */
export async function tagFinder(tagCatalogue: TagCatalogue): Promise<FindTagNumber> {
  const { list } = await tagCatalogue.read();
  const numbers = new Map(list.flatMap(({ number, aliases }) => aliases.map((name) => [tagNameKey(name), number])));
  for (const { number, nameKey } of list) numbers.set(nameKey, number);
  return (key) => numbers.get(key) ?? null;
}
