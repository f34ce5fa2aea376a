import fc from 'fast-check';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { Looks } from '#server/features/admin/alike.ts';
import { AlikeGroups, areOfOneLength, hashPixels, hashStill, likenessOf } from '#server/features/admin/alike.ts';

/** A picture of smooth patches, as a film has; `seed` chooses which. */
function patches(seed: number): Sharp {
  const [width, height] = [12, 8];
  const pixels = Buffer.from(
    Array.from({ length: width * height }, (_, at) => ((at + 7) * (seed * 97 + 31) * 53) % 256),
  );
  return sharp(pixels, { raw: { width, height, channels: 1 } }).resize(640, 360, { kernel: 'cubic' });
}

async function hashOf(picture: Sharp): Promise<string> {
  const hash = await hashStill(await picture.webp().toBuffer());
  if (hash === null) throw new Error('The picture shows too little.');
  return hash;
}

describe('stills', () => {
  test('of one picture in another size and a low quality are at least 90 % alike', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const whole = await hashOf(patches(seed));
      const small = sharp(await patches(seed).jpeg({ quality: 20 }).toBuffer()).resize(160, 90);
      expect(likenessOf(whole, await hashOf(small))).toBeGreaterThanOrEqual(limits.alikePercent);
    }
  });

  test('of different pictures are less alike', async () => {
    const hashes = await Promise.all([1, 2, 3, 4, 5].map((seed) => hashOf(patches(seed))));
    for (const [at, one] of hashes.entries())
      for (const other of hashes.slice(at + 1)) expect(likenessOf(one, other)).toBeLessThan(limits.alikePercent);
  });

  test.each([
    ['an even picture', () => 80],
    ['a picture that gets brighter from left to right', (at: number) => at % 9],
    ['a picture that gets darker from left to right', (at: number) => 9 - (at % 9)],
  ])('of %s are compared with nothing', (_, brightness) => {
    expect(hashPixels(Uint8Array.from({ length: 72 }, (__, at) => brightness(at)))).toBeNull();
  });

  test.each([
    ['0000000000000000', '0000000000000000', 100],
    ['0000000000000000', '0000000000000001', 98],
    ['8000000080000000', '0000000000000000', 96],
    ['000000000000003f', '0000000000000000', 90],
    ['000000000000007f', '0000000000000000', 89],
    ['ffffffffffffffff', '0000000000000000', 0],
  ])('%s and %s are alike in %i %', (one, other, percent) => {
    expect([likenessOf(one, other), likenessOf(other, one)]).toEqual([percent, percent]);
  });
});

const videos = fc.array(
  fc.record({
    width: fc.constantFrom(320, 640),
    height: fc.constantFrom(180, 360),
    durationMs: fc.integer({ min: 1_000, max: 3_000 }),
    // Near each other, so that many are alike.
    still: fc.integer({ min: 0, max: 0xffff }).map((bits) => `3c5a96e1f00f${bits.toString(16).padStart(4, '0')}`),
  }),
  { maxLength: 60 },
);

test('whatever the videos, each is put beside one of its length, its size of picture and a still that is alike, or stays alone', () => {
  fc.assert(
    fc.property(videos, (drawn) => {
      const sorted = drawn
        .map((video, number) => ({ ...video, number }))
        .sort((a, b) => a.width - b.width || a.height - b.height || a.durationMs - b.durationMs || a.number - b.number);
      const groups = new AlikeGroups();
      const firsts = new Map<number, Looks & { still: string }>();
      for (const video of sorted) {
        const isAlike = (first: Looks & { still: string }) =>
          areOfOneLength(first, video) && likenessOf(first.still, video.still) >= limits.alikePercent;
        const found = groups.add(video, video.still);
        const first = firsts.get(found);
        if (found === video.number) {
          expect([...firsts.values()].some(isAlike)).toBe(false);
          firsts.set(found, video);
        } else expect(first !== undefined && isAlike(first)).toBe(true);
      }
    }),
  );
});

test('a video is compared with the latest of very many that have its length, not with all', () => {
  const groups = new AlikeGroups();
  const looks = { width: 640, height: 360, durationMs: 1_000 };
  const stills = Array.from({ length: 1_000 }, (_, at) => (BigInt(at + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn);
  const hashes = stills.map((bits) => bits.toString(16).padStart(16, '0'));
  for (const [number, still] of hashes.entries()) groups.add({ ...looks, number }, still);
  expect(groups.add({ ...looks, number: 2_000 }, hashes[0] ?? '')).toBe(2_000);
  expect(groups.add({ ...looks, number: 2_001 }, hashes[999] ?? '')).toBe(999);
});
