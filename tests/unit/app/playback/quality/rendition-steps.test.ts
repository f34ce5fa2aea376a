import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QuadrantFacts, QualityReading } from '#app/playback/quality/rendition-choice.ts';
import { RenditionSteps, shareKbps, toQualityReading, toSharer } from '#app/playback/quality/rendition-choice.ts';
import { limits } from '#contract/limits.ts';
import type { QualityChoice, Rendition } from '#contract/rules/rendition.ts';
import { feedVideo } from '../../feed/feed-video.ts';

const standing = (parts: Partial<QualityReading> = {}): QualityReading => ({
  videoId: 'v',
  order: ['grid', 'hd', 'source'],
  current: 'grid',
  chosen: 'grid',
  chosenWithReserve: parts.chosen ?? 'grid',
  isTooMuch: false,
  isDropping: false,
  isStarved: false,
  savesData: false,
  isExpanded: false,
  ...parts,
});

/** In which second something else is to play, and what; null: never in two minutes. */
function firstStep(steps: RenditionSteps, parts: Partial<QualityReading>): [number, Rendition] | null {
  for (let second = 1; second <= 120; second += 1) {
    const rendition = steps.next(standing(parts));
    if (rendition) return [second, rendition];
  }
  return null;
}

const up = limits.renditionStepUpSeconds;
const down = limits.renditionStepDownSeconds;

test.each<[string, Partial<QualityReading>, [number, Rendition] | null]>([
  ['what fits stays', {}, null],
  ['a better one that fits comes after its hold', { chosen: 'hd' }, [up, 'hd']],
  ['one that fits without any reserve does not come', { chosen: 'hd', chosenWithReserve: 'grid' }, null],
  ['in an expanded quadrant it comes at once', { chosen: 'hd', isExpanded: true }, [1, 'hd']],
  ['what is too much leaves after its hold', { current: 'hd', isTooMuch: true }, [down, 'grid']],
  ['what drops frames leaves after its hold', { current: 'hd', isTooMuch: true, isDropping: true }, [down, 'grid']],
  ['what is larger than is seen leaves late', { current: 'hd' }, [up, 'grid']],
  ['what has run out of data leaves at once', { current: 'hd', chosen: 'hd', isStarved: true }, [1, 'grid']],
  ['it leaves for what the network carries', { current: 'source', isStarved: true }, [1, 'grid']],
  ['the lightest stays also then', { isStarved: true }, null],
  ['who begins to save data has the lightest at once', { current: 'hd', savesData: true }, [1, 'grid']],
  ['what is not in the list stays', { current: 'hd', order: ['grid', 'source'] }, null],
])('%s', (_, parts, expected) => {
  expect(firstStep(new RenditionSteps(), parts)).toEqual(expected);
});

describe('what was too much', () => {
  test.each<[string, Partial<QualityReading>]>([
    ['for the decoder', { isDropping: true, isTooMuch: true }],
    ['for the network', { isStarved: true }],
  ])('%s is not tried again within a minute, also not of another video', (_, parts) => {
    const steps = new RenditionSteps();
    firstStep(steps, { current: 'hd', ...parts });
    for (let second = 1; second < 60; second += 1)
      expect(steps.next(standing({ chosen: 'source', videoId: second > 20 ? 'w' : 'v' }))).toBeNull();
    expect(firstStep(steps, { chosen: 'source', videoId: 'w' })?.[1]).toBe('source');
  });

  test('a hold begins anew with each second that does not fit, and with each video', () => {
    const steps = new RenditionSteps();
    for (let second = 1; second < up; second += 1) steps.next(standing({ chosen: 'hd' }));
    steps.next(standing());
    for (let second = 1; second < up; second += 1) expect(steps.next(standing({ chosen: 'hd' }))).toBeNull();
    expect(firstStep(steps, { chosen: 'hd', videoId: 'w' })).toEqual([up, 'hd']);
  });
});

test('a minute lies between a step and one up, unless a person has expanded the quadrant', () => {
  const steps = new RenditionSteps();
  firstStep(steps, { chosen: 'hd' });
  steps.commit();
  const further = { current: 'hd', chosen: 'source' } as const;
  for (let second = 1; second < 60; second += 1) expect(steps.next(standing(further))).toBeNull();
  expect(firstStep(steps, further)?.[1]).toBe('source');
  steps.commit();
  expect(firstStep(steps, { ...further, isExpanded: true })).toEqual([1, 'source']);
});

const mbps = (rate: number, seconds = 60) => (rate * 1_000_000 * seconds) / 8;
const renditions = [
  { name: 'grid' as const, bytes: mbps(1.2), width: 960, height: 540 },
  { name: 'hd' as const, bytes: mbps(4.5), width: 1920, height: 1080 },
  { name: 'source' as const, bytes: mbps(45), width: 3840, height: 2160 },
];

interface Place {
  /** Device pixels of a quadrant. */
  size: [number, number];
  kbps: number | null;
  savesData?: boolean;
  expanded?: boolean;
  audible?: boolean;
  dropped?: number;
  quality?: QualityChoice;
  /** How many play. */
  playing?: number;
}

const factsOf = (
  { size: [width, height], savesData, expanded, audible, dropped, quality }: Place,
  rendition: Rendition,
): QuadrantFacts => ({
  video: feedVideo('v', { rendition, renditions }),
  isExpanded: expanded ?? false,
  isAudible: audible ?? false,
  size: { width, height },
  savesData: savesData ?? false,
  quality: quality ?? 'automatic',
  droppedPercent: dropped ?? null,
  isStarved: false,
});

/** What the first of some quadrants comes to play within two minutes, beside others in a grid. */
function endsWith(place: Place, rendition: Rendition): Rendition {
  const steps = new RenditionSteps();
  let current = rendition;
  for (let second = 0; second < 120; second += 1) {
    const facts = factsOf(place, current);
    const others = Array.from({ length: (place.playing ?? 4) - 1 }, () =>
      factsOf({ size: place.size, kbps: null }, 'grid'),
    );
    const share = (total: number) => shareKbps(total, [facts, ...others].map(toSharer))[0] ?? null;
    const judged = toQualityReading(facts, place.kbps && share(place.kbps), place.kbps && share(place.kbps * 0.65));
    current = (judged && steps.next(judged)) ?? current;
  }
  return current;
}

test.each<[string, Place, Rendition, Rendition]>([
  ['a phone on a thin link', { size: [585, 1266], kbps: 6_000 }, 'source', 'grid'],
  ['a phone on a good link, whose quadrants are small', { size: [390, 219], kbps: 40_000 }, 'source', 'grid'],
  ['a phone that saves data', { size: [1170, 2532], kbps: 90_000, savesData: true, playing: 1 }, 'hd', 'grid'],
  ['a desktop that is to save data', { size: [1920, 1080], kbps: 90_000, quality: 'light' }, 'hd', 'grid'],
  ['a small quadrant that is to have the best', { size: [390, 219], kbps: 2_000, quality: 'best' }, 'grid', 'source'],
  [
    'the best on a device that drops its frames',
    { size: [1920, 1080], kbps: 90_000, quality: 'best', dropped: 30 },
    'source',
    'hd',
  ],
  ['a TV in full HD', { size: [960, 540], kbps: 40_000 }, 'grid', 'grid'],
  [
    'a TV whose two decoders drop frames of large pictures',
    { size: [1920, 1080], kbps: 40_000, playing: 2, dropped: 30 },
    'hd',
    'grid',
  ],
  ['a desktop in 4K', { size: [1920, 1080], kbps: 90_000 }, 'grid', 'hd'],
  ['a desktop in 4K on a thin link', { size: [1920, 1080], kbps: 10_000 }, 'grid', 'grid'],
  ['the one that sounds there', { size: [1920, 1080], kbps: 16_000, audible: true }, 'grid', 'hd'],
  ['one of the others there', { size: [1920, 1080], kbps: 16_000 }, 'grid', 'grid'],
  ['the expanded one in full HD', { size: [1920, 1080], kbps: 15_000, expanded: true, playing: 1 }, 'grid', 'hd'],
  ['the expanded one in 4K', { size: [3840, 2160], kbps: 150_000, expanded: true, playing: 1 }, 'grid', 'source'],
  [
    'the expanded one in 4K on a good link',
    { size: [3840, 2160], kbps: 30_000, expanded: true, playing: 1 },
    'grid',
    'hd',
  ],
  ['one on a link that nobody has measured', { size: [1920, 1080], kbps: null }, 'grid', 'hd'],
])('%s', (_, place, from, to) => {
  expect(endsWith(place, from)).toBe(to);
});

test('a line that is noisy within a fifth switches no quadrant more than once a minute', () => {
  const noise = fc.array(fc.double({ min: 0.8, max: 1.2, noNaN: true }), { minLength: 300, maxLength: 300 });
  fc.assert(
    fc.property(
      noise,
      fc.integer({ min: 2_000, max: 120_000 }),
      fc.integer({ min: 1, max: 4 }),
      (factors, kbps, playing) => {
        const steps = new RenditionSteps();
        let current: Rendition = 'grid';
        const switches: number[] = [];
        for (const [second, factor] of factors.entries()) {
          const four = [
            factsOf({ size: [3840, 2160], kbps, audible: true }, current),
            ...Array.from({ length: playing - 1 }, () => factsOf({ size: [1920, 1080], kbps }, 'grid')),
          ];
          const share = (total: number) => shareKbps(total, four.map(toSharer))[0] ?? null;
          const judged = toQualityReading(four[0] as QuadrantFacts, share(kbps * factor), share(kbps * factor * 0.65));
          const next: Rendition | null = judged && steps.next(judged);
          if (next) {
            steps.commit();
            switches.push(second);
          }
          current = next ?? current;
        }
        for (const [at, second] of switches.entries())
          expect(second - (switches[at - 1] ?? -60)).toBeGreaterThanOrEqual(60);
      },
    ),
    { numRuns: 30 },
  );
});
