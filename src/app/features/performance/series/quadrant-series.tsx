import { LineChart } from '#app/ui/chart/line-chart.tsx';
import type { PerformancePoint } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './quadrant-series.module.css';
import type { SeriesWindow } from './series-window.ts';

interface Props {
  quadrant: Quadrant;
  series: readonly Readonly<PerformancePoint>[];
  range: SeriesWindow;
  /** For screen readers: 'the last 5 minutes'. */
  span: string;
}

const charts = [
  {
    title: 'Dropped frames',
    unit: '%',
    read: (point: PerformancePoint) => point.droppedFrameRate,
    threshold: { value: limits.droppedFramesPercent, words: `Alert above ${limits.droppedFramesPercent}%` },
  },
  {
    title: 'Buffer level',
    unit: 's',
    read: (point: PerformancePoint) => point.bufferLevel,
    threshold: { value: limits.lowBufferSeconds, words: `Alert below ${limits.lowBufferSeconds} s` },
  },
  {
    title: 'Stall events',
    unit: 'stalls per viewing session',
    read: (point: PerformancePoint) => point.stallEvents,
    threshold: { value: limits.stallEvents, words: `Alert above ${limits.stallEvents}` },
  },
];

/** One quadrant over time: what its alerts are about. */
export function QuadrantSeries({ quadrant, series, range, span }: Props) {
  return (
    <div className={styles.charts}>
      {charts.map(({ title, unit, read, threshold }) => (
        <div key={title}>
          <h3 className={styles.title}>{title}</h3>
          <LineChart
            label={`${title}, ${span}`}
            unit={unit}
            quadrant={quadrant}
            points={series.map((point) => ({ at: Date.parse(point.timestamp), value: read(point) }))}
            threshold={threshold}
            {...range}
          />
        </div>
      ))}
    </div>
  );
}
