import { expect, test } from 'vitest';
import { LineChart, Sparkline } from '#app/ui/chart.tsx';
import type { ChartPoint } from '#app/ui/chart-model.ts';
import { quadrants } from '#contract/quadrants.ts';
import { draw } from '../../draw.tsx';

const minute = 60_000;
const from = Date.UTC(2026, 10, 22, 14, 0);
const to = from + 5 * minute;

const every = (ms: number, measure: (index: number) => number | null): ChartPoint[] =>
  Array.from({ length: (5 * minute) / ms + 1 }, (_, index) => ({ at: from + index * ms, value: measure(index) }));

const threshold = { value: 1, words: 'Alert below 1 Mbps' };
const bandwidth = (points: readonly ChartPoint[]) => (
  <LineChart label="Network bandwidth, last 5 minutes" unit="Mbps" {...{ points, from, to, threshold }} />
);

const rowsOf = (screen: HTMLElement) =>
  [...screen.querySelectorAll('tbody tr')].map((row) => [...row.children].map(({ textContent }) => textContent));

test('a chart is a table for screen readers, with a caption that sums it up', async () => {
  const screen = await draw(bandwidth(every(minute, (index) => [9, 59.04, null, 20, 30, 42.6][index] ?? null)));
  expect(screen.querySelector('caption')?.textContent).toBe(
    'Network bandwidth, last 5 minutes: between 9 and 59 Mbps, last 42.6 Mbps. Alert below 1 Mbps.',
  );
  const timeOf = (index: number) => new Date(from + index * minute).toLocaleTimeString();
  expect(rowsOf(screen)).toEqual([
    [timeOf(0), '9'],
    [timeOf(1), '59'],
    [timeOf(2), 'no data'],
    [timeOf(3), '20'],
    [timeOf(4), '30'],
    [timeOf(5), '42.6'],
  ]);
});

test('the table of many points has 30 rows at most, and ends with the newest', async () => {
  const screen = await draw(bandwidth(every(1_000, (index) => index)));
  const rows = rowsOf(screen);
  expect(rows.length).toBeLessThanOrEqual(30);
  expect(rows[rows.length - 1]).toEqual([new Date(to).toLocaleTimeString(), '300']);
});

test('a chart of nothing says so', async () => {
  const screen = await draw(bandwidth([]));
  expect(screen.querySelector('caption')?.textContent).toContain('no data');
  expect(rowsOf(screen)).toEqual([]);
});

test('what is drawn is hidden from screen readers, and nothing of a chart takes the focus', async () => {
  const screen = await draw(
    <>
      {bandwidth(every(minute, () => 5))}
      {quadrants.map((quadrant) => (
        <Sparkline
          key={quadrant}
          label="Buffer level, last 5 minutes"
          unit="s"
          points={every(minute, () => 5)}
          threshold={2}
          {...{ quadrant, from, to }}
        />
      ))}
    </>,
  );
  expect(screen.querySelectorAll('div[aria-hidden="true"]')).toHaveLength(5);
  expect(screen.querySelectorAll('caption')).toHaveLength(5);
  expect(screen.querySelector('a, button, input, [tabindex]')).toBeNull();
});

test('gaps interrupt the line, and a value between two gaps has a dot', async () => {
  const screen = await draw(bandwidth(every(minute, (index) => [1, null, 2, 2, null, 1][index] ?? null)));
  const lines = [...screen.querySelectorAll('svg path')].map((path) => path.getAttribute('d') ?? '');
  expect(lines).toContain('M0.0 500.0M400.0 0.0L600.0 0.0M1000.0 500.0');
  const dots = [...screen.querySelectorAll('circle')].map((dot) => [dot.getAttribute('cx'), dot.getAttribute('cy')]);
  expect(dots).toEqual([
    ['0.00%', '50.00%'],
    ['100.00%', '50.00%'],
  ]);
});

test('labels stand at the levels and times that they name', async () => {
  const screen = await draw(bandwidth(every(minute, () => 8)));
  const words = [...screen.querySelectorAll('[aria-hidden="true"] span, [aria-hidden="true"] text')];
  expect(words.map(({ textContent }) => textContent)).toEqual([
    '0',
    '2',
    '4',
    '6',
    '8',
    'Alert below 1 Mbps',
    '5 min ago',
    'now',
    '4',
    '3',
    '2',
    '1',
  ]);
  expect((words.find(({ textContent }) => textContent === '3') as HTMLElement).style.left).toBe('40.00%');
});
