import { expect, test } from 'vitest';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { mediaNeeds } from '#contract/rules/media-needs.ts';
import { LackedNeeds } from '#server/features/encodings/demand.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const placeOf = (need: MediaNeed) => mediaNeeds.indexOf(need);
const hour = 3_600_000;

test('what devices lacked is known for a day after the last one', () => {
  const clock = settableClock();
  const lacked = new LackedNeeds(clock);
  expect(lacked.list()).toEqual([]);
  lacked.note([placeOf('matroska'), placeOf('hevc')]);
  clock.pass(23 * hour);
  lacked.note([placeOf('hevc')]);
  expect(lacked.list()).toEqual([placeOf('matroska'), placeOf('hevc')]);
  clock.pass(hour);
  expect(lacked.list()).toEqual([placeOf('hevc')]);
  lacked.forget();
  expect(lacked.list()).toEqual([]);
});
