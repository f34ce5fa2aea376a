import { mediaNeeds, pictureNeedBits } from '#contract/rules/media-needs.ts';
import type { SetOperation } from '../database/tables/set-tables.ts';
import { encodeNumbers } from './bits.ts';

/** One row of the change log before it has its place there. */
export interface SetChange {
  key: LogKey;
  op: SetOperation;
  bits: Buffer;
}

/**
 * What one transaction does to the sets: what the database says has changed (`returning`), not what was wished for. The
 * last word on a number counts, and each set takes at most a row for each operation.
 */
export class SetChanges {
  readonly #cleared = new Set<SetKey>();
  readonly #members = new Map<LogKey, Map<number, boolean>>();

  add(key: SetKey, ...numbers: readonly number[]): void {
    this.put(key, numbers, true);
  }

  remove(key: SetKey, ...numbers: readonly number[]): void {
    this.put(key, numbers, false);
  }

  /** For numbers that are known to be many, or whose side is known as a flag. */
  put(key: LogKey, numbers: Iterable<number>, isMember: boolean): void {
    const members = this.#members.get(key) ?? new Map<number, boolean>();
    this.#members.set(key, members);
    for (const number of numbers) members.set(number, isMember);
  }

  /** Takes everything out, also what other transactions put in meanwhile. */
  clear(key: SetKey): void {
    this.#cleared.add(key);
    this.#members.delete(key);
  }

  list(): SetChange[] {
    const cleared = [...this.#cleared].map((key) => ({ key, op: 'replace' as const, bits: encodeNumbers([]) }));
    return [
      ...cleared,
      ...[...this.#members].flatMap(([key, members]) => [
        toChange(key, 'add', members, true),
        toChange(key, 'remove', members, false),
      ]),
    ].filter((change) => change !== null);
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

/** Names the set of the videos whose picture needs something, by its place in `mediaNeeds`. */
type NeedKey = `need:${number}`;

/** Names a set: a tag's by the tag's row number. */
export type SetKey = 'available' | 'untagged' | NeedKey | number;

/** What a row of the log is about: a set, or `names` for videos that are new, renamed or removed for good: no set is kept of these. */
export type LogKey = SetKey | 'names';

const tagPrefix = 'tag:';

/** As it is stored. */
export function writeSetKey(key: LogKey): string {
  return typeof key === 'number' ? `${tagPrefix}${key}` : key;
}

export function readSetKey(text: string): LogKey {
  return text.startsWith(tagPrefix) ? Number(text.slice(tagPrefix.length)) : (text as Exclude<LogKey, number>);
}

interface NeedSet {
  key: NeedKey;
  place: number;
  /** The same place as `NeedBits`. */
  bit: number;
}

/** One for each thing without which there is no picture. What sound needs leaves a video out nowhere. */
export const needSets: readonly NeedSet[] = mediaNeeds
  .map((_, place): NeedSet => ({ key: `need:${place}`, place, bit: 1 << place }))
  .filter(({ bit }) => (pictureNeedBits & bit) !== 0);

const byKey = new Map<SetKey, NeedSet>(needSets.map((set) => [set.key, set]));

/** Undefined for the other sets, and for a need that sets of another version know. */
export function findNeedSet(key: SetKey): NeedSet | undefined {
  return byKey.get(key);
}
