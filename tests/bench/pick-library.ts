import { RoaringBitmap32 } from 'roaring-wasm';
import { encodeSet } from '#server/id-sets/bits.ts';
import type { LiveSets } from '#server/id-sets/live-sets.ts';
import { createLiveSets } from '#server/id-sets/live-sets.ts';
import type { FormKey, SetKey } from '#server/id-sets/set-changes.ts';

/**
 * Five links a video on average; the most popular tag is on four of ten videos, the least popular on one of two
 * thousand.
 */
const linksPerVideo = 5;
const popularity = 0.9;
export const tagCount = 2_000;

const weights = Array.from({ length: tagCount }, (_, index) => (index + 1) ** -popularity);
const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);

/** One of fifty videos is not available. */
const unavailableShare = 0.02;

/** The share of all videos that a length or a shape has. */
const formShares: readonly (readonly [FormKey, number])[] = [
  ['is:short', 0.4],
  ['is:medium', 0.4],
  ['is:long', 0.2],
  ['is:upright', 0.3],
  ['is:wide', 0.7],
];

/** The sets of a generated library; tags are numbered by how popular they are. */
export function generateSets(videos: number): LiveSets {
  const sets = createLiveSets();
  const adopt = (key: SetKey, bits: RoaringBitmap32) => {
    sets.adopt({ key, seq: 1, cardinality: bits.size, bits: encodeSet(bits) });
    bits.dispose();
  };
  const available = RoaringBitmap32.fromRange(1, videos + 1);
  const gone = scatter(videos, unavailableShare);
  available.andNotInPlace(gone);
  gone.dispose();
  available.removeRunCompression();
  adopt('available', available);
  for (const [form, share] of formShares) adopt(form, scatter(videos, share));
  for (const [index, weight] of weights.entries())
    adopt(index + 1, scatter(videos, (linksPerVideo * weight) / totalWeight));
  return sets;
}

/** Each number up to `videos` with the same chance, by jumping from one to the next. */
function scatter(videos: number, chance: number): RoaringBitmap32 {
  const numbers = new Uint32Array(Math.ceil(videos * chance * 1.1) + 1_000);
  const scale = Math.log(1 - chance);
  let length = 0;
  for (let number = jump(scale); number <= videos && length < numbers.length; number += jump(scale)) {
    numbers[length] = number;
    length += 1;
  }
  return new RoaringBitmap32(numbers.subarray(0, length));
}

function jump(scale: number): number {
  return 1 + Math.floor(Math.log(1 - Math.random()) / scale);
}

/** Different tags, each as likely as it is popular. */
export function popularTags(count: number): number[] {
  const tags = new Set<number>();
  while (tags.size < count) tags.add(popularTag());
  return [...tags];
}

function popularTag(): number {
  let left = Math.random() * totalWeight;
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index === -1 ? tagCount : index + 1;
}
