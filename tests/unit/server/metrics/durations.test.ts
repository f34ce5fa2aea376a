import { expect, test } from 'vitest';
import { Durations } from '#server/metrics/pulled-metrics.ts';

test('are counted in every step that they fit below, its bound included', () => {
  const durations = new Durations([0.1, 1]);
  for (const seconds of [0, 0.1, 0.2, 1, 1.5, 60]) durations.add(seconds);
  expect(durations.samples('x_seconds', { kind: 'a' })).toEqual([
    { metricName: 'x_seconds_bucket', labels: { le: '0.1', kind: 'a' }, value: 2 },
    { metricName: 'x_seconds_bucket', labels: { le: '1', kind: 'a' }, value: 4 },
    { metricName: 'x_seconds_bucket', labels: { le: '+Inf', kind: 'a' }, value: 6 },
    { metricName: 'x_seconds_sum', labels: { kind: 'a' }, value: 62.8 },
    { metricName: 'x_seconds_count', labels: { kind: 'a' }, value: 6 },
  ]);
});
