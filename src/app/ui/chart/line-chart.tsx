import { useMemo } from 'react';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './chart.module.css';
import type { Series } from './chart-points.ts';
import { pointsOf } from './chart-points.ts';
import { valueTicks } from './chart-ticks.ts';
import { markerOf } from './marker.ts';
import { PlotCanvas } from './plot-canvas.tsx';
import type { PlotModel } from './plot-model.ts';
import { headroom } from './plot-model.ts';
import { ValueTable } from './value-table.tsx';

interface Props extends Series {
  /** What is measured, and when, for screen readers: 'Network bandwidth, last 5 minutes'. */
  label: string;
  unit: string;
  /** A level with its words: 'Alert below 1 Mbps'. */
  threshold?: { value: number; words: string } | undefined;
  /** Whose colour and marker it has; otherwise it is about the whole site. */
  quadrant?: Quadrant | undefined;
}

/** One series over time, from 0 up, with its scales. */
export function LineChart({ label, unit, points, from, to, maxGapMs, threshold, quadrant }: Props) {
  const model = useMemo(
    () => modelOf({ points, from, to, maxGapMs }, threshold, quadrant),
    [points, from, to, maxGapMs, threshold, quadrant],
  );
  return (
    <div className={styles.chart} data-colour={quadrant}>
      <PlotCanvas model={model} className={styles.large} />
      <ValueTable label={label} unit={unit} points={model.points} threshold={threshold?.words} />
    </div>
  );
}

function modelOf(series: Series, threshold: Props['threshold'], quadrant: Props['quadrant']): PlotModel {
  const points = pointsOf(series);
  const ticks = valueTicks(Math.max((threshold?.value ?? 0) * headroom, ...points.map(({ value }) => value ?? 0)));
  const top = ticks[ticks.length - 1]?.at ?? 1;
  const { from, to } = series;
  return {
    points,
    from,
    to,
    top,
    valueTicks: ticks,
    hasScales: true,
    marker: quadrant ? markerOf[quadrant] : 'circle',
    threshold,
  };
}
