import { useMemo } from 'react';
import styles from './chart.module.css';
import type { Series } from './chart-points.ts';
import { pointsOf } from './chart-points.ts';
import { valueTicks } from './chart-ticks.ts';
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
}

/** One series over time, from 0 up, with its scales. */
export function LineChart({ label, unit, points, from, to, maxGapMs, threshold }: Props) {
  const model = useMemo(
    () => modelOf({ points, from, to, maxGapMs }, threshold),
    [points, from, to, maxGapMs, threshold],
  );
  return (
    <div className={styles.chart}>
      <PlotCanvas model={model} className={styles.large} />
      <ValueTable label={label} unit={unit} points={model.points} threshold={threshold?.words} />
    </div>
  );
}

function modelOf(series: Series, threshold: Props['threshold']): PlotModel {
  const points = pointsOf(series);
  const ticks = valueTicks(Math.max((threshold?.value ?? 0) * headroom, ...points.map(({ value }) => value ?? 0)));
  const top = ticks[ticks.length - 1]?.at ?? 1;
  const { from, to } = series;
  return { points, from, to, top, valueTicks: ticks, hasScales: true, marker: 'circle', threshold };
}
