import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sharer } from '#app/playback/quality/rendition-choice.ts';
import { shareKbps } from '#app/playback/quality/rendition-choice.ts';

const sharer = (useful: number, priority: Sharer['priority'] = 'other', least = 1_000): Sharer => ({
  priority,
  least,
  useful,
});

test.each<[string, number, Sharer[], number[]]>([
  ['those alike get the same', 8_000, [sharer(5_000), sharer(5_000)], [4_000, 4_000]],
  [
    'who needs less leaves the rest to the others',
    9_000,
    [sharer(1_000), sharer(5_000), sharer(5_000)],
    [1_000, 4_000, 4_000],
  ],
  [
    'the expanded one gets all that it can use, but for the lightest of the others',
    8_000,
    [sharer(5_000, 'expanded'), sharer(5_000), sharer(5_000), sharer(5_000)],
    [5_000, 1_000, 1_000, 1_000],
  ],
  [
    'the expanded one goes before the one that sounds, and that before the others',
    10_000,
    [sharer(5_000, 'audible'), sharer(5_000, 'expanded'), sharer(5_000), sharer(5_000)],
    [3_000, 5_000, 1_000, 1_000],
  ],
  ['what nobody can use is for all', 12_000, [sharer(2_000), sharer(4_000)], [5_000, 7_000]],
  [
    'too little is shared by what each takes at least',
    1_500,
    [sharer(5_000), sharer(5_000, 'expanded', 2_000)],
    [500, 1_000],
  ],
  ['a single one has it all', 3_000, [sharer(5_000, 'expanded')], [3_000]],
  ['nobody plays', 3_000, [], []],
])('%s', (_, total, sharers, expected) => {
  expect(shareKbps(total, sharers).map(Math.round)).toEqual(expected);
});

const anySharer = fc
  .record({
    priority: fc.constantFrom<Sharer['priority']>('expanded', 'audible', 'other'),
    least: fc.integer({ min: 1, max: 3_000 }),
    more: fc.integer({ min: 0, max: 20_000 }),
  })
  .map(({ more, ...rest }) => ({ ...rest, useful: rest.least + more }));

test('all of it is shared out, and more for all is never less for one', () => {
  const sharers = fc.array(anySharer, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      sharers,
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 0, max: 60_000 }),
      (four, total, more) => {
        const [before, after] = [shareKbps(total, four), shareKbps(total + more, four)];
        expect(before.reduce((sum, share) => sum + share, 0)).toBeCloseTo(total, 3);
        for (const [at, share] of before.entries()) expect(after[at]).toBeGreaterThanOrEqual(share - 1e-6);
      },
    ),
  );
});
