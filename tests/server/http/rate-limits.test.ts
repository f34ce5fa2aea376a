import { expect, test } from 'vitest';
import type { Attempt } from '#server/limits/rate-limits.ts';
import { startServer } from '#tests/support/server-under-test.ts';

const guess: Attempt = {
  name: 'guess',
  holder: 'somebody',
  policy: { kind: 'back-off', free: 5, longestMs: 900_000, forgottenAfterMs: 86_400_000 },
};

test('many tries at once gain nothing, also where they wait for each other in the database', async () => {
  let now = Date.UTC(2027, 0, 15);
  // Each look at it is another moment, as it is on a busy machine.
  const clock = {
    now: () => {
      now += 1;
      return now;
    },
    elapsed: () => performance.now(),
  };
  const { services } = await startServer({ overrides: { clock } });
  const tries = await Promise.allSettled(Array.from({ length: 60 }, () => services.accounts.rateLimits.consume(guess)));
  expect(tries.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(5);
});
