import { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { TagImportReply } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import type { transferFormats } from '#contract/rules/tag.ts';
import type { Database } from '../../database/connection.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid } from '../../http/pipeline/errors.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { TagChangeDeps } from '../tags/changes/change-jobs.ts';
import { recordChange } from '../tags/changes/change-jobs.ts';
import { readChangeReply } from '../tags/changes/undo-change.ts';
import { tagEdits } from '../tags/edit-tags.ts';
import { tagLinkRepository } from '../tags/link-repository.ts';
import type { TagCatalogue } from '../tags/tag-catalogue.ts';
import { tagNameKey } from '../tags/tag-repository.ts';
import type { PathResolver } from '../videos/video.ts';
import { listExportedDetails } from './transfer-details.ts';
import type { DetailsLine, ExportedTag, LinkLine } from './transfer-formats.ts';
import { readCsv, writeCsv } from './transfer-formats.ts';
import { readJson, writeJson } from './transfer-json.ts';
import type { FindTagNumber } from './transfer-plan.ts';
import { applyTransfer, TransferPlan } from './transfer-plan.ts';

export interface TagTransferDeps extends TagChangeDeps {
  tagCatalogue: TagCatalogue;
  places: PathResolver;
}

interface ImportRequest extends TransferFile {
  filename: string;
  dry_run: boolean;
}

/**
 * Reports what the import of a file would change, and starts it unless it is a dry run.
 * @throws Invalid for too many lines
 * @throws Refusal 409 for more channels than a site can have
 */
export async function importTagFile(
  deps: TagTransferDeps,
  request: ImportRequest,
  actorId: string,
): Promise<TagImportReply> {
  const { plan, failed } = await readTransfer(request, deps.places, await tagFinder(deps.tagCatalogue));
  const { present, added } = await countPresentLinks(deps.database.reader, plan);
  const facts = {
    dry_run: request.dry_run,
    tags_created: plan.countNewTags(),
    links_added: added,
    links_present: present,
    details_changed: await plan.details.countChanged(deps.database.reader),
    failed_count: failed.count,
    failed: failed.first,
  };
  if (facts.tags_created > 0) await tagEdits.requireRoom(deps.database.reader, facts.tags_created);
  const changed = facts.tags_created + facts.links_added + facts.details_changed;
  if (request.dry_run || changed === 0) return { ...facts, change: null };
  const number = await deps.writeTags((transaction) =>
    beginChange(transaction, deps, { kind: 'import', subject: request.filename, actorId }),
  );
  await applyTransfer(deps, number, plan);
  return { ...facts, ...(await readChangeReply(deps.database, number)) };
}

/**
 * Records the change in a transaction of `writeTags`.
 * @returns number of the change, which runs until its job is done
 */
export async function beginChange(
  transaction: Executor,
  deps: TagChangeDeps,
  facts: { kind: 'import' | 'sidecars'; subject: string; actorId: string },
): Promise<number> {
  const { actorId, subject } = facts;
  await recordActivity(transaction, { actorId, kind: 'tags_imported', subject }, deps.clock.now());
  return recordChange(transaction, deps, { ...facts, tags: [], links: 0, state: 'running' });
}

/** Finds tags by name or alias, as of the time of the call. */
export async function tagFinder(tagCatalogue: TagCatalogue): Promise<FindTagNumber> {
  const { list } = await tagCatalogue.read();
  const numbers = new Map(list.flatMap(({ number, aliases }) => aliases.map((name) => [tagNameKey(name), number])));
  for (const { number, nameKey } of list) numbers.set(nameKey, number);
  return (key) => numbers.get(key) ?? null;
}

interface TransferFile {
  format: (typeof transferFormats)[number];
  text: string;
}

interface FailedLine {
  line: number;
  message: string;
}

/** The failed lines of a file: the first of them in full, all of them counted. */
class FailedLines {
  readonly first: FailedLine[] = [];
  count = 0;

  add(line: number, message: string): void {
    this.count += 1;
    if (this.first.length < limits.namedImportFailures) this.first.push({ line, message });
  }
}

/**
 * The changes that a file describes, and the lines that fail.
 * @throws Invalid for more than `importLines`
 */
export async function readTransfer(
  { format, text }: TransferFile,
  places: Pick<PathResolver, 'findNumbers'>,
  findTagNumber: FindTagNumber,
): Promise<{ plan: TransferPlan; failed: FailedLines }> {
  const [plan, failed] = [new TransferPlan(findTagNumber), new FailedLines()];
  const ofVideos: (LinkLine | DetailsLine)[] = [];
  let lines = 0;
  for await (const line of format === 'csv' ? readCsv(text) : readJson(text)) {
    lines += 1;
    if (lines > limits.importLines) throw tooManyLines();
    if (line.kind === 'unreadable') failed.add(line.line, line.message);
    else if (line.kind === 'tag') addFailure(failed, line.line, plan.describe(line));
    else ofVideos.push(line);
    if (ofVideos.length === inListLength) await addOfVideos(plan, failed, ofVideos.splice(0), places);
  }
  await addOfVideos(plan, failed, ofVideos, places);
  return { plan, failed };
}

async function addOfVideos(
  plan: TransferPlan,
  failed: FailedLines,
  lines: readonly (LinkLine | DetailsLine)[],
  places: Pick<PathResolver, 'findNumbers'>,
): Promise<void> {
  await letOthersRun();
  const numbers = await places.findNumbers(lines.map(({ path }) => path));
  for (const line of lines) {
    const number = numbers.get(line.path);
    if (number === undefined) addFailure(failed, line.line, 'No video has this path');
    else if (line.kind === 'link') addFailure(failed, line.line, plan.add(line.name, number));
    else addFailure(failed, line.line, plan.details.add(line, number));
  }
}

function addFailure(failed: FailedLines, line: number, message: string | null): void {
  if (message !== null) failed.add(line, message);
}

function tooManyLines(): Invalid {
  return new Invalid([{ field: 'text', message: `A file can have at most ${limits.importLines} lines` }]);
}

/**
 * The number of links of a plan that already exist and were made by people, and of those that would
 * be added.
 */
async function countPresentLinks(executor: Executor, plan: TransferPlan): Promise<{ present: number; added: number }> {
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
    // SQLite replies synchronously, so other work gets a turn first.
    await letOthersRun();
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

interface ExportDeps {
  database: Database;
  tagCatalogue: TagCatalogue;
  places: PathResolver;
}

/** Links that one query reads. */
const linksTogether = 1_000;

/**
 * All active tags and the videos that people assigned them to, with the titles and descriptions
 * that people gave videos, as a file that can be imported. What folders and files give is left out,
 * because scans find it again.
 */
export function exportTagFile(deps: ExportDeps, format: (typeof transferFormats)[number]): Readable {
  const write = format === 'csv' ? writeCsv : writeJson;
  return Readable.from(write(listExported(deps), listExportedDetails(deps)), { objectMode: false });
}

async function* listExported(deps: ExportDeps): AsyncGenerator<ExportedTag> {
  const { list } = await deps.tagCatalogue.read();
  for (const { number, name, description, color, aliases } of list)
    yield { name, description, color, aliases, videos: pathsOf(deps, number) };
}

async function* pathsOf({ database, places }: ExportDeps, tagNumber: number): AsyncGenerator<string[]> {
  for (let after = 0; ; ) {
    const rows = await tagLinkRepository.listPlaces(database.reader, tagNumber, after, linksTogether);
    yield rows.map((row) => places.pathOf(row));
    if (rows.length < linksTogether) return;
    after = rows.at(-1)?.number ?? after;
  }
}
