import { describe, expect, test } from 'vitest';
import type { Way } from '#server/features/streaming/cheaper-way.ts';
import { CheaperWay } from '#server/features/streaming/cheaper-way.ts';

const mebibyte = 1024 * 1024;

/** Makes so many choices, each of which takes what its way costs. @returns how often each was made */
function send(cheaper: CheaperWay, times: number, costs: Record<Way, () => number>): Record<Way, number> {
  const chosen = { 'hand-over': 0, copy: 0 };
  for (let time = 0; time < times; time += 1) {
    const way = cheaper.choose();
    chosen[way] += 1;
    cheaper.record(way, mebibyte, costs[way]());
  }
  return chosen;
}

describe('bytes are sent the way that costs less', () => {
  test.each([
    ['hand-over', { 'hand-over': () => 0.2, copy: () => 0.3 }],
    ['copy', { 'hand-over': () => 0.4, copy: () => 0.3 }],
  ] satisfies [Way, Record<Way, () => number>][])('by %s where that is cheaper, but for one in 32', (way, costs) => {
    const cheaper = new CheaperWay();
    send(cheaper, 2, costs);
    expect(send(cheaper, 320, costs)[way]).toBe(310);
  });

  test('and the other way once that has become cheaper', () => {
    const cheaper = new CheaperWay();
    send(cheaper, 100, { 'hand-over': () => 0.2, copy: () => 0.3 });
    send(cheaper, 640, { 'hand-over': () => 0.4, copy: () => 0.3 });
    expect(send(cheaper, 320, { 'hand-over': () => 0.4, copy: () => 0.3 }).copy).toBe(310);
  });

  test('whatever an interrupted process measures now and then', () => {
    const cheaper = new CheaperWay();
    let call = 0;
    const interrupted = () => {
      call += 1;
      return call % 5 === 0 ? 40 : 0.2;
    };
    send(cheaper, 200, { 'hand-over': interrupted, copy: () => 0.3 });
    expect(send(cheaper, 320, { 'hand-over': interrupted, copy: () => 0.3 })['hand-over']).toBe(310);
  });
});
