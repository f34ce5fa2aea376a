import type { NeedBits } from '#contract/rules/media-needs.ts';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import type { Executor } from '#server/database/tables.ts';
import { availabilityRepository } from '#server/features/library/availability-repository.ts';
import { encodingRepository } from '#server/features/videos/encoding-repository.ts';
import type { IdSets } from '#server/id-sets/id-sets.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import type { FormKey, SetChanges } from '#server/id-sets/set-changes.ts';
import { formKeys, needSets } from '#server/id-sets/set-changes.ts';
import type { TagSelection } from '#server/id-sets/tag-selection.ts';
import type { RandomBelow } from '#server/ids.ts';
import { secureRandomBelow } from '#server/ids.ts';
import { createLog } from '#server/log.ts';

/** One process's view of a library: its database and its sets. */
export interface Node {
  database: Database;
  sets: IdSets;
  logged: string[];
  close(): Promise<void>;
}

export interface NodeOptions {
  randomBelow?: RandomBelow;
  followEveryMs?: number;
  keepEveryMs?: number;
}

const never = 2 ** 31 - 1;

/** Follows and stores only when asked to, unless told otherwise. */
export async function startNode(address: DatabaseAddress, options: NodeOptions = {}): Promise<Node> {
  const database = openDatabase(address);
  await migrate(database, systemClock);
  const logged: string[] = [];
  const log = createLog('trace', { write: (line) => void logged.push(line) });
  const { randomBelow = secureRandomBelow, followEveryMs = never, keepEveryMs = never } = options;
  const sets = createIdSets({ database, clock: systemClock, log, randomBelow, followEveryMs, keepEveryMs });
  await sets.start();
  return {
    database,
    sets,
    logged,
    close: async () => {
      await sets.stop();
      await database.close();
    },
  };
}

export async function addRoot(executor: Executor): Promise<void> {
  await executor
    .insertInto('library_roots')
    .values({ name: 'root', folder: '/root', kind: 'folder', active: 1, created_at: 1 })
    .execute();
}

let made = 0;

export async function addTag(executor: Executor): Promise<number> {
  made += 1;
  const name = `tag-${process.pid}-${made}`;
  const row = { id: name, name, name_key: name, description: '', color: '#3B82F6', active: 1 as const, created_at: 1 };
  return (await executor.insertInto('tags').values(row).returning('number').executeTakeFirstOrThrow()).number;
}

const insertLength = 1_000;

/** Lengths at and beside the bounds, and shapes; one of each is unknown. */
function formOf(index: number) {
  const [width, height] = (
    [
      [null, null],
      [1_080, 1_920],
      [1_920, 1_080],
      [500, 500],
    ] as const
  )[(index >> 3) % 4]!;
  const duration_ms = [null, 1, 59_999, 60_000, 1_200_000, 1_200_001, 9_000_000][index % 7]!;
  return { duration_ms, width, height };
}

export async function addVideos(
  transaction: Executor,
  changes: SetChanges,
  count: number,
  available: 0 | 1 = 1,
  needs: NeedBits = 0,
): Promise<number[]> {
  const { number: root_number } = await transaction
    .selectFrom('library_roots')
    .select('number')
    .orderBy('number')
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: count }, () => {
    made += 1;
    const path = `video-${process.pid}-${made}.mp4`;
    const row = {
      ...{ id: path, root_number, path, filename: path, size: 1, modified_us: 1, available, created_at: 1 },
      ...formOf(made),
    };
    // Rows without needs go into older schemas, too.
    return needs === 0 ? row : { ...row, needs };
  });
  const added: { number: number; duration_ms: number | null; width: number | null; height: number | null }[] = [];
  for (let from = 0; from < rows.length; from += insertLength)
    added.push(
      ...(await transaction
        .insertInto('videos')
        .values(rows.slice(from, from + insertLength))
        .returning(['number', 'duration_ms', 'width', 'height'])
        .execute()),
    );
  for (const video of added) changes.putForm(video, { isNew: true });
  const numbers = added.map((row) => row.number);
  changes.put('available', numbers, available === 1);
  changes.put('untagged', numbers, true);
  for (const { key, bit } of needSets) if ((needs & bit) !== 0) changes.put(key, numbers, true);
  return numbers;
}

/** Gives a video an encoding, or takes it away. */
export async function setEncoded(
  transaction: Executor,
  changes: SetChanges,
  number: number,
  isEncoded: boolean,
): Promise<void> {
  if (isEncoded)
    await encodingRepository.put(transaction, {
      ...{ video_number: number, size: 1, modified_us: 1, rendition: 'grid', content: `${number}`, bytes: 1 },
      ...{ width: 1, height: 1, made_at: 1, used_at: 1 },
    });
  else await transaction.deleteFrom('encodings').where('video_number', '=', number).execute();
  await availabilityRepository.alignEncoded(transaction, changes, number);
}

export async function setAvailable(
  transaction: Executor,
  changes: SetChanges,
  numbers: readonly number[],
  available: 0 | 1,
): Promise<void> {
  await transaction.updateTable('videos').set({ available }).where('number', 'in', numbers).execute();
  changes.put('available', numbers, available === 1);
}

export async function tagVideos(
  transaction: Executor,
  changes: SetChanges,
  sets: IdSets,
  tag: number,
  numbers: readonly number[],
): Promise<void> {
  const links = await transaction
    .insertInto('video_tags')
    .values(numbers.map((video_number) => ({ video_number, tag_number: tag })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('video_number')
    .execute();
  await putLinks(transaction, changes, sets, tag, links, true);
}

export async function untagVideos(
  transaction: Executor,
  changes: SetChanges,
  sets: IdSets,
  tag: number,
  numbers: readonly number[],
): Promise<void> {
  const links = await transaction
    .deleteFrom('video_tags')
    .where('tag_number', '=', tag)
    .where('video_number', 'in', numbers)
    .returning('video_number')
    .execute();
  await putLinks(transaction, changes, sets, tag, links, false);
}

async function putLinks(
  transaction: Executor,
  changes: SetChanges,
  sets: IdSets,
  tag: number,
  links: readonly { video_number: number }[],
  isMember: boolean,
): Promise<void> {
  const numbers = links.map((link) => link.video_number);
  changes.put(tag, numbers, isMember);
  await sets.putUntagged(transaction, changes, numbers);
}

/** The library's tables as plain sets: what everything has to agree with. */
export interface Truth {
  available: ReadonlySet<number>;
  untagged: ReadonlySet<number>;
  tags: ReadonlyMap<number, ReadonlySet<number>>;
  forms: ReadonlyMap<FormKey, ReadonlySet<number>>;
  /** What only some devices show, without an encoding. */
  needs: ReadonlyMap<number, NeedBits>;
}

export async function readTruth(database: Database): Promise<Truth> {
  const videos = await database.reader
    .selectFrom('videos')
    .select(['number', 'available', 'needs', 'duration_ms', 'width', 'height'])
    .execute();
  const numbersWhere = (isIn: (video: (typeof videos)[number]) => boolean) =>
    new Set(videos.filter(isIn).map(({ number }) => number));
  const encodings = await database.reader
    .selectFrom('encodings')
    .innerJoin('videos', (join) =>
      join
        .onRef('videos.number', '=', 'encodings.video_number')
        .onRef('videos.size', '=', 'encodings.size')
        .onRef('videos.modified_us', '=', 'encodings.modified_us'),
    )
    .select('video_number')
    .execute();
  const encoded = new Set(encodings.map((row) => row.video_number));
  const tags = await database.reader.selectFrom('tags').select(['number', 'active']).execute();
  const links = await database.reader.selectFrom('video_tags').selectAll().execute();
  const active = new Set(tags.filter((tag) => tag.active === 1).map((tag) => tag.number));
  const byPeople = links.filter((link) => link.by_folder === 0 && active.has(link.tag_number));
  const tagged = new Set(byPeople.map((link) => link.video_number));
  const members = new Map(tags.map((tag) => [tag.number, new Set<number>()]));
  for (const link of links) members.get(link.tag_number)?.add(link.video_number);
  return {
    available: new Set(videos.filter((video) => video.available === 1).map((video) => video.number)),
    untagged: new Set(videos.filter((video) => !tagged.has(video.number)).map((video) => video.number)),
    tags: members,
    forms: new Map([
      ['is:short', numbersWhere(({ duration_ms: ms }) => ms !== null && ms < 60_000)],
      ['is:medium', numbersWhere(({ duration_ms: ms }) => ms !== null && ms >= 60_000 && ms <= 1_200_000)],
      ['is:long', numbersWhere(({ duration_ms: ms }) => ms !== null && ms > 1_200_000)],
      ['is:upright', numbersWhere(({ width, height }) => (height ?? 0) > (width ?? 0))],
      ['is:wide', numbersWhere(({ width, height }) => (width ?? 0) > (height ?? 0))],
    ]),
    needs: new Map(videos.map(({ number, needs }) => [number, encoded.has(number) ? 0 : needs])),
  };
}

/** Newest first. */
export function matchingOf(
  truth: Truth,
  { tags, mode, blocked, isUntagged = false, missingNeeds = [], forms = [], among }: TagSelection,
): number[] {
  const has = (number: number) => (tag: number) => truth.tags.get(tag)?.has(number) ?? false;
  return [...truth.available]
    .filter((number) => tags.length === 0 || (mode === 'OR' ? tags.some(has(number)) : tags.every(has(number))))
    .filter((number) => !blocked.some(has(number)) && (!isUntagged || truth.untagged.has(number)))
    .filter((number) => missingNeeds.every((index) => ((truth.needs.get(number) ?? 0) & (1 << index)) === 0))
    .filter((number) => forms.every((form) => truth.forms.get(form)?.has(number)))
    .filter((number) => among?.includes(number) ?? true)
    .sort((a, b) => b - a);
}

/**
 * What differs between the sets and the tables, in words; none: they agree. Every single set is compared, and every
 * pair of tags.
 */
export function differences(sets: IdSets, truth: Truth): string[] {
  const tags = [...truth.tags.keys()];
  const pairs = tags.flatMap((tag, index) => tags.slice(index + 1).map((other) => [tag, other]));
  const selections: TagSelection[] = [
    { tags: [], mode: 'OR', blocked: [] },
    { tags: [], mode: 'OR', blocked: [], isUntagged: true },
    ...needSets.map(({ index }) => ({ tags: [], mode: 'OR' as const, blocked: [], missingNeeds: [index] })),
    ...formKeys.map((form) => ({ tags: [], mode: 'OR' as const, blocked: [], forms: [form] })),
    ...tags.map((tag) => ({ tags: [tag], mode: 'OR' as const, blocked: [] })),
    ...tags.map((tag) => ({ tags: [tag], mode: 'OR' as const, blocked: [], missingNeeds: [1, 6] })),
    ...tags.map((tag) => ({ tags: [], mode: 'OR' as const, blocked: [tag] })),
    ...pairs.map((pair) => ({
      tags: pair,
      mode: 'OR' as const,
      blocked: tags.filter((tag) => !pair.includes(tag)).slice(0, 2),
    })),
    ...pairs.map((pair) => ({
      tags: pair,
      mode: 'AND' as const,
      blocked: tags.filter((tag) => !pair.includes(tag)).slice(0, 1),
    })),
  ];
  return selections.flatMap((selection) => {
    const expected = matchingOf(truth, selection);
    const held = sets.page(selection, 0, expected.length + 1).numbers;
    return held.join() === expected.join()
      ? []
      : [`${JSON.stringify(selection)}: ${held.length} held, ${expected.length} in the tables`];
  });
}

/**
 * One random thing that happens to a library. Switching and removing a tag are several transactions each, and can be
 * left out.
 */
export async function disturb(
  { database, sets }: Pick<Node, 'database' | 'sets'>,
  random: RandomBelow,
  isSingle = false,
): Promise<void> {
  const videos = (await database.reader.selectFrom('videos').select('number').execute()).map((row) => row.number);
  const tags = (await database.reader.selectFrom('tags').select(['number', 'active']).execute()).filter(
    (tag) => tag.number > 0,
  );
  const some = Array.from(
    { length: 1 + random(random(4) === 0 ? 200 : 4) },
    () => videos[random(videos.length)],
  ).filter((number) => number !== undefined);
  const tag = tags[random(tags.length)];
  const what = videos.length < 10 ? 0 : random(isSingle ? 8 : 9);
  if (what === 0)
    await sets.write((transaction, changes) =>
      addVideos(transaction, changes, 1 + random(30), random(5) === 0 ? 0 : 1, random(3) === 0 ? 2 ** random(14) : 0),
    );
  else if (what === 1)
    await sets.write((transaction, changes) => setAvailable(transaction, changes, some, random(2) === 0 ? 0 : 1));
  else if (tag === undefined || (what === 2 && tags.length < 5)) await sets.write((transaction) => addTag(transaction));
  else if (what <= 5)
    await sets.write((transaction, changes) => tagVideos(transaction, changes, sets, tag.number, some));
  else if (what === 6)
    await sets.write((transaction, changes) => untagVideos(transaction, changes, sets, tag.number, some));
  else if (what === 7)
    await sets.write(async (transaction, changes) => {
      for (const number of some.slice(0, 3)) await setEncoded(transaction, changes, number, random(2) === 0);
    });
  else if (random(4) === 0) await sets.removeTagLinks(tag.number);
  else await switchTag({ database, sets }, tag.number, tag.active === 1 ? 0 : 1);
}

export async function switchTag({ sets }: Pick<Node, 'database' | 'sets'>, tag: number, active: 0 | 1): Promise<void> {
  await sets.write(async (transaction) => {
    await transaction.updateTable('tags').set({ active }).where('number', '=', tag).execute();
  });
  await sets.alignUntagged(tag);
}
