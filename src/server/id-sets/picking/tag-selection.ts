import type { RoaringBitmap32 } from 'roaring-wasm';
import type { FilterMode } from '#contract/rules/tags/tag-filter.ts';
import type { LiveSet, LiveSets } from '../live-sets.ts';
import type { Pool } from './sample.ts';

/** Which available videos; tags by number, each once. No tags: all. A blocked tag beats a selected one. */
export interface TagSelection {
  readonly tags: readonly number[];
  readonly mode: FilterMode;
  readonly blocked: readonly number[];
  /** True: only those that nobody has put an active tag on. False: only the others. Absent: both. */
  readonly isUntagged?: boolean;
}

/** The same for the same selection; two names for one selection only cost room. */
export function nameSelection({ tags, mode, blocked, isUntagged }: TagSelection): string {
  const part = isUntagged === undefined ? '' : isUntagged ? ' untagged' : ' tagged';
  return `${mode} ${tags.join()} ${blocked.join()}${part}`;
}

/** The sets that it is made from. */
export function sourcesOf(sets: LiveSets, { tags, blocked, isUntagged }: TagSelection): LiveSet[] {
  return [
    sets.of('available'),
    ...(isUntagged !== undefined ? [sets.of('untagged')] : []),
    ...tags.map(sets.of),
    ...blocked.map(sets.of),
  ];
}

/** @param allowed what is available and not blocked, where that is known already */
export function poolOf(
  sets: LiveSets,
  { tags, mode, blocked, isUntagged }: TagSelection,
  allowed?: RoaringBitmap32,
): Pool<RoaringBitmap32> {
  const bitsOf = (number: number) => sets.of(number).bits;
  const available = allowed ?? sets.of('available').bits;
  const untagged = sets.of('untagged').bits;
  const none = [...(allowed === undefined ? blocked.map(bitsOf) : []), ...(isUntagged === false ? [untagged] : [])];
  if (isUntagged) return { any: [untagged], all: [available, ...tags.map(bitsOf)], none };
  if (tags.length === 0) return { any: [available], all: [], none };
  if (mode === 'OR') return { any: tags.map(bitsOf), all: [available], none };
  const [smallest, ...others] = tags.map(bitsOf).sort((a, b) => a.size - b.size);
  return { any: smallest === undefined ? [] : [smallest], all: [...others, available], none };
}
