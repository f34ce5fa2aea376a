import type { Selectable } from 'kysely';
import { mediaNeeds, pictureNeedBits } from '#contract/rules/media-needs.ts';
import type { VideoSet } from '#contract/rules/tag-filter.ts';
import { setsOfForm, videoSets } from '#contract/rules/tag-filter.ts';
import type { SetOperation } from '../database/tables/set-tables.ts';
import type { Tables } from '../database/tables.ts';
import type { RevisionName } from '../http/pipeline/revision.ts';
import { encodeNumbers } from './bits.ts';

/** One row of the change log, before it has a number. */
export interface SetChange {
  key: LogKey;
  op: SetOperation;
  bits: Buffer;
}

/** The columns of a video that tell its length and shape. */
type FormRow = Pick<Selectable<Tables['videos']>, 'number' | 'duration_ms' | 'width' | 'height'>;

/**
 * The changes of one transaction to the sets: rows that the database has changed (`returning`), not
 * those requested. The last change of a number counts, and each set gets at most one row per
 * operation.
 */
export class SetChanges {
  readonly #cleared = new Set<SetKey>();
  readonly #members = new Map<LogKey, Map<number, boolean>>();
  /** The revisions that rise with these changes. */
  readonly revisions = new Set<RevisionName>();

  add(key: SetKey, ...numbers: readonly number[]): void {
    this.put(key, numbers, true);
  }

  remove(key: SetKey, ...numbers: readonly number[]): void {
    this.put(key, numbers, false);
  }

  /** Adds or removes many numbers, or those whose membership is known as a flag. */
  put(key: LogKey, numbers: Iterable<number>, isMember: boolean): void {
    const members = this.#members.get(key) ?? new Map<number, boolean>();
    this.#members.set(key, members);
    for (const number of numbers) members.set(number, isMember);
  }

  /** Records that a video is shown differently, although no set and no name of it has changed. */
  touch(number: number): void {
    if (this.#members.get('names')?.get(number) !== true) this.put('names', [number], false);
  }

  /** Puts a video into the sets of its length and shape, and takes a known one out of the others. */
  putForm({ number, duration_ms: ms, width, height }: FormRow, { isNew }: { isNew: boolean }): void {
    const forms: readonly string[] = setsOfForm({ durationSeconds: ms === null ? null : ms / 1_000, width, height });
    for (const key of formKeys) {
      const isMember = forms.includes(key);
      if (isMember || !isNew) this.put(key, [number], isMember);
    }
  }

  /** Removes all numbers, including those that other transactions add meanwhile. */
  clear(key: SetKey): void {
    this.#cleared.add(key);
    this.#members.delete(key);
  }

  list(): SetChange[] {
    const cleared = [...this.#cleared].map((key) => ({ key, op: 'replace' as const, bits: encodeNumbers([]) }));
    const changed = [...this.#members].flatMap(([key, members]) => [
      toChange(key, 'add', members, true),
      toChange(key, 'remove', members, false),
    ]);
    return [...cleared, ...changed].filter((change) => change !== null);
  }
}

function toChange(
  key: LogKey,
  op: SetOperation,
  members: ReadonlyMap<number, boolean>,
  isMember: boolean,
): SetChange | null {
  const numbers = [...members].filter(([, isIn]) => isIn === isMember).map(([number]) => number);
  return numbers.length === 0 ? null : { key, op, bits: encodeNumbers(numbers) };
}

/** The key of the set of videos whose picture has a need, by its index in `mediaNeeds`. */
type NeedKey = `need:${number}`;

/** The key of the set of videos of a length or of a shape. */
export type FormKey = Exclude<VideoSet, 'is:favourite'>;

export const formKeys: readonly FormKey[] = videoSets.filter((set) => set !== 'is:favourite');

export function isFormKey(key: LogKey): key is FormKey {
  return formKeys.some((form) => form === key);
}

/** The key of a set; a tag's set has the tag's row number. */
export type SetKey = 'available' | 'untagged' | NeedKey | FormKey | number;

/**
 * The subject of a row of the log: a set, or `names`, which has no set: 'add' tells of videos that
 * are new, renamed or deleted for good, 'remove' of those that are merely shown differently.
 */
export type LogKey = SetKey | 'names';

const tagPrefix = 'tag:';

/** Formats a key for the database. */
export function writeSetKey(key: LogKey): string {
  return typeof key === 'number' ? `${tagPrefix}${key}` : key;
}

export function readSetKey(text: string): LogKey {
  return text.startsWith(tagPrefix) ? Number(text.slice(tagPrefix.length)) : (text as Exclude<LogKey, number>);
}

interface NeedSet {
  key: NeedKey;
  index: number;
  /** The same need as a bit of `NeedBits`. */
  bit: number;
}

/** A set for each need of the picture. Needs of sound alone never exclude a video. */
export const needSets: readonly NeedSet[] = mediaNeeds
  .map((_, index): NeedSet => ({ key: `need:${index}`, index, bit: 1 << index }))
  .filter(({ bit }) => (pictureNeedBits & bit) !== 0);

const byKey = new Map<SetKey, NeedSet>(needSets.map((set) => [set.key, set]));

/** Finds the need of a set; undefined for other sets, and for needs of another version. */
export function findNeedSet(key: SetKey): NeedSet | undefined {
  return byKey.get(key);
}
