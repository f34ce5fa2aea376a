import { expect, test, vi } from 'vitest';
import { ProgressReader } from '#server/media/encode/encode-run.ts';

test('progress is read from lines that come in pieces', () => {
  const report = vi.fn();
  const reader = new ProgressReader(10_000, report);
  for (const piece of [
    'frame=1\nout_time_us=N/A\nout_ti',
    'me_us=2500000\nprogress=con',
    'tinue\nout_time_us=99000000\n',
  ])
    reader.read(Buffer.from(piece));
  expect(report.mock.calls).toEqual([[25], [99]]);
});

test('without a length there is no progress, and no line grows without end', () => {
  const report = vi.fn();
  new ProgressReader(null, report).read(Buffer.from('out_time_us=1000\n'));
  const reader = new ProgressReader(1_000, report);
  for (let piece = 0; piece < 100; piece += 1) reader.read(Buffer.alloc(4_096, 'x'));
  reader.read(Buffer.from('\nout_time_us=500000\n'));
  expect(report.mock.calls).toEqual([[50]]);
});
