import type { RoaringBitmap32 } from 'roaring-wasm';
import type { DeviceClass } from '#contract/rules/media/needs.ts';
import type { FilterMode } from '#contract/rules/tags/tag-filter.ts';
import type { LiveSet, LiveSets } from '../live-sets.ts';
import type { SetKey } from '../set-key.ts';
import { needSets } from '../set-key.ts';
import type { Pool } from './sample.ts';

/** Which available videos; tags by number, each once. No tags: all. A blocked tag beats a selected one. */
export interface TagSelection {
  readonly tags: readonly number[];
  readonly mode: FilterMode;
  readonly blocked: readonly number[];
  /** True: only those that nobody has put an active tag on. False: only the others. Absent: both. */
  readonly isUntagged?: boolean;
  /** What the device lacks, by places in `mediaNeeds`, ascending: what needs it is left out. Absent: nothing. */
  readonly lacks?: readonly number[];
}

/**
 * Those places of what a device lacks that any video needs, so that all devices share one selection in a library that
 * plays everywhere.
 */
export function listLacking(sets: LiveSets, device: DeviceClass): readonly number[] {
  return needSets
    .filter(({ key, bit }) => (device & bit) === 0 && !sets.of(key).bits.isEmpty)
    .map(({ place }) => place);
}

/** Nothing but being available is asked of a video. */
export function isEverything({ tags, blocked, isUntagged, lacks }: TagSelection): boolean {
  return tags.length === 0 && blocked.length === 0 && isUntagged === undefined && !lacks?.length;
}

/** The same for the same selection; two names for one selection only cost room. */
export function nameSelection({ tags, mode, blocked, isUntagged, lacks = [] }: TagSelection): string {
  const part = isUntagged === undefined ? '' : isUntagged ? ' untagged' : ' tagged';
  return `${mode} ${tags.join()} ${blocked.join()} ${lacks.join()}${part}`;
}

/** The sets that it is made from. */
export function sourcesOf(sets: LiveSets, { tags, blocked, isUntagged, lacks = [] }: TagSelection): LiveSet[] {
  return [
    sets.of('available'),
    ...(isUntagged !== undefined ? [sets.of('untagged')] : []),
    ...tags.map(sets.of),
    ...blocked.map(sets.of),
    ...lacks.map((place) => sets.of(`need:${place}`)),
  ];
}

/** @param allowed what is available, not blocked, and played by the device, where that is known already */
export function poolOf(
  sets: LiveSets,
  { tags, mode, blocked, isUntagged, lacks = [] }: TagSelection,
  allowed?: RoaringBitmap32,
): Pool<RoaringBitmap32> {
  const bitsOf = (key: SetKey) => sets.of(key).bits;
  const available = allowed ?? sets.of('available').bits;
  const untagged = sets.of('untagged').bits;
  const refused: SetKey[] = allowed === undefined ? [...blocked, ...lacks.map((place): SetKey => `need:${place}`)] : [];
  const none = [...refused.map(bitsOf), ...(isUntagged === false ? [untagged] : [])];
  if (isUntagged) return { any: [untagged], all: [available, ...tags.map(bitsOf)], none };
  if (tags.length === 0) return { any: [available], all: [], none };
  if (mode === 'OR') return { any: tags.map(bitsOf), all: [available], none };
  const [smallest, ...others] = tags.map(bitsOf).sort((a, b) => a.size - b.size);
  return { any: smallest === undefined ? [] : [smallest], all: [...others, available], none };
}
