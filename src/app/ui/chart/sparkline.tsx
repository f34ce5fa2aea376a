import { useMemo } from 'react';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './chart.module.css';
import type { Series } from './chart-points.ts';
import { pointsOf } from './chart-points.ts';
import { markerOf } from './marker.ts';
import { PlotCanvas } from './plot-canvas.tsx';
import type { PlotModel } from './plot-model.ts';
import { headroom } from './plot-model.ts';
import { ValueTable } from './value-table.tsx';

interface Props extends Series {
  /** What is measured, and when, for screen readers: 'Buffer level, last 5 minutes'. */
  label: string;
  unit: string;
  /** Whose colour and marker it has. */
  quadrant: Quadrant;
  /** Where a dashed line is; the words about it stand beside the chart. */
  threshold?: number | undefined;
}

/** One series of a quadrant, without scales. */
export function Sparkline({ label, unit, quadrant, points, from, to, maxGapMs, threshold }: Props) {
  const model = useMemo(
    () => modelOf({ points, from, to, maxGapMs }, quadrant, threshold),
    [points, from, to, maxGapMs, quadrant, threshold],
  );
  return (
    <div className={`${styles.chart} ${styles.spark}`} data-colour={quadrant}>
      <PlotCanvas model={model} className={styles.small} />
      <ValueTable label={label} unit={unit} points={model.points} />
    </div>
  );
}

function modelOf(series: Series, quadrant: Quadrant, threshold: number | undefined): PlotModel {
  const points = pointsOf(series);
  const highest = Math.max((threshold ?? 0) * headroom, ...points.map(({ value }) => value ?? 0));
  return {
    from: series.from,
    to: series.to,
    points,
    top: highest > 0 ? highest : 1,
    valueTicks: [],
    hasScales: false,
    marker: markerOf[quadrant],
    threshold: threshold === undefined ? undefined : { value: threshold },
  };
}
