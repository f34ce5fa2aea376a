import { limits } from '#contract/limits.ts';

/** The hash compares each pixel of a small picture with the one to its right. */
const rows = 8;
const columns = 9;
const bits = rows * (columns - 1);
/** A picture with fewer differences than this, or hardly anything else, shows too little. */
const fewestDifferences = 8;

/**
 * The difference hash of a still, as 16 hexadecimal characters: copies of a picture in another
 * size or quality agree in nearly all bits. Null for a still that shows too little.
 */
export async function hashStill(picture: Buffer): Promise<string | null> {
  // sharp is loaded on first use, which saves memory on a server without posters.
  const { default: sharp } = await import('sharp');
  const small = sharp(picture).greyscale().resize(columns, rows, { fit: 'fill' }).extractChannel(0);
  return hashPixels(await small.raw().toBuffer());
}

/** @param pixels brightness, 9 pixels in each of 8 rows */
export function hashPixels(pixels: Uint8Array): string | null {
  let [hash, differences] = [0n, 0];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns - 1; column += 1) {
      const at = row * columns + column;
      const isBrighter = (pixels[at] ?? 0) < (pixels[at + 1] ?? 0);
      hash = (hash << 1n) | (isBrighter ? 1n : 0n);
      differences += Number(isBrighter);
    }
  }
  const isTelling = differences >= fewestDifferences && differences <= bits - fewestDifferences;
  return isTelling ? hash.toString(16).padStart(bits / 4, '0') : null;
}

/** How many percent of their details two stills have in common, rounded down. */
export function likenessOf(one: string, other: string): number {
  return likenessOfWords(toWords(one), toWords(other));
}

type Words = readonly [number, number];

function toWords(hash: string): Words {
  return [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)];
}

function likenessOfWords(one: Words, other: Words): number {
  const different = countBits(one[0] ^ other[0]) + countBits(one[1] ^ other[1]);
  return Math.floor((100 * (bits - different)) / bits);
}

/** The number of bits that are set among 32. */
function countBits(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The size of a picture, and its length in milliseconds. */
export interface Looks {
  number: number;
  width: number;
  height: number;
  durationMs: number;
}

/** Whether two videos have one size of picture, and about the same length. */
export function areOfOneLength(one: Looks, other: Looks): boolean {
  return (
    one.width === other.width &&
    one.height === other.height &&
    Math.abs(one.durationMs - other.durationMs) <= 1_000 * limits.alikeSeconds
  );
}

/** A video is compared with at most this many others, however many have its length. */
const comparedMost = 200;

/**
 * Finds groups among videos that come sorted by size of picture and length. Each video is compared
 * with the first one of each group, so that all videos of a group are alike to one of them.
 */
export class AlikeGroups {
  private firsts: (Looks & { words: Words })[] = [];

  /** @returns the number of the first video of its group; its own if the group is new */
  add(video: Looks, still: string): number {
    const words = toWords(still);
    this.firsts = this.firsts.filter((first) => areOfOneLength(first, video));
    let [nearest, likeness] = [video.number, limits.alikePercent as number];
    for (const first of this.firsts) {
      const found = likenessOfWords(first.words, words);
      if (found < likeness || (found === likeness && nearest !== video.number)) continue;
      [nearest, likeness] = [first.number, found];
    }
    if (nearest === video.number) this.firsts.push({ ...video, words });
    if (this.firsts.length > comparedMost) this.firsts.shift();
    return nearest;
  }
}
