import { expect, test } from 'vitest';
import { viewerLimits } from '#server/features/performance/viewers.ts';
import { sampleAt, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

test('an address that makes up viewers counts as a venue at most, and leaves others alone', async () => {
  const clock = settableClock();
  const server = await startServer({ overrides: { clock } });
  const { services } = server;
  const at = (viewer: number, remoteAddress: string) =>
    sendReport(
      server,
      'top-left',
      { samples: [sampleAt(clock.now())] },
      { viewer: viewerCookie(viewer), remoteAddress },
    );
  const many = viewerLimits.perAddress + 50;
  const replies = await Promise.all(Array.from({ length: many }, (_, viewer) => at(1_000 + viewer, '192.0.2.9')));
  expect(replies.every(({ statusCode }) => statusCode === 202)).toBe(true);
  await at(999, '192.0.2.10');
  const { metrics, series } = await services.playbackHealth.read('top-left', '1m');
  expect([metrics?.samples, series.at(-1)?.viewers]).toEqual([
    viewerLimits.perAddress + 1,
    viewerLimits.perAddress + 1,
  ]);
  clock.pass(6 * 60_000 + 1);
  await services.playbackHealth.write();
  expect(services.playbackHealth.presentViewers()).toEqual([]);
});
