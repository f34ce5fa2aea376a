import { expect, test } from 'vitest';
import { Precedence } from '#server/media/sandbox/pause.ts';

test('programs that yield stand still while others go first, and all of them while videos stall', async () => {
  const precedence = new Precedence();
  const seen = () => [precedence.all.isPaused, precedence.yielding.isPaused];
  const { promise: second, resolve: endSecond } = Promise.withResolvers<void>();
  const both = precedence.duringFirst(() => second);
  await expect(
    precedence.duringFirst(async () => {
      throw new Error(String(seen()));
    }),
  ).rejects.toThrow('false,true');
  expect(seen()).toEqual([false, true]);
  precedence.setPaused(true);
  expect(seen()).toEqual([true, true]);
  precedence.setPaused(false);
  expect(seen()).toEqual([false, true]);
  endSecond();
  await both;
  expect(seen()).toEqual([false, false]);
});
