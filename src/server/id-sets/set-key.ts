import { mediaNeeds, pictureNeedBits } from '#contract/rules/media/needs.ts';

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

export interface NeedSet {
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
