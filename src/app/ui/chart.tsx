import { useEffect, useMemo, useRef } from 'react';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './chart.module.css';
import type { ChartPoint, PlotModel, Series } from './chart-model.ts';
import { headroom, lastValue, markerOf, pointsOf, thinPoints, valueTicks } from './chart-model.ts';
import { Plot } from './plot.ts';

interface Props extends Series {
  /** The measure and the period, for screen readers: 'Network bandwidth, last 5 minutes'. */
  label: string;
  unit: string;
  /** A level with its text: 'Alert below 1 Mbps'. */
  threshold?: { value: number; words: string } | undefined;
  /** Sets colour and marker; omitted for a measure of the whole site. */
  quadrant?: Quadrant | undefined;
}

/** A line chart of one series over time, with axes; values start at 0. */
export function LineChart({ label, unit, points, from, to, maxGapMs, threshold, quadrant }: Props) {
  const model = useMemo(
    () => lineModelOf({ points, from, to, maxGapMs }, threshold, quadrant),
    [points, from, to, maxGapMs, threshold, quadrant],
  );
  return (
    <div className={styles.chart} data-colour={quadrant}>
      <PlotCanvas model={model} className={styles.large} />
      <ValueTable label={label} unit={unit} points={model.points} threshold={threshold?.words} />
    </div>
  );
}

function lineModelOf(series: Series, threshold: Props['threshold'], quadrant: Props['quadrant']): PlotModel {
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

interface SparklineProps extends Series {
  /** The measure and the period, for screen readers: 'Buffer level, last 5 minutes'. */
  label: string;
  unit: string;
  /** Sets colour and marker. */
  quadrant: Quadrant;
  /** The level of a dashed line, which the text next to the chart explains. */
  threshold?: number | undefined;
}

/** A small line chart of one quadrant, without axes. */
export function Sparkline({ label, unit, quadrant, points, from, to, maxGapMs, threshold }: SparklineProps) {
  const model = useMemo(
    () => sparkModelOf({ points, from, to, maxGapMs }, quadrant, threshold),
    [points, from, to, maxGapMs, quadrant, threshold],
  );
  return (
    <div className={`${styles.chart} ${styles.spark}`} data-colour={quadrant}>
      <PlotCanvas model={model} className={styles.small} />
      <ValueTable label={label} unit={unit} points={model.points} />
    </div>
  );
}

function sparkModelOf(series: Series, quadrant: Quadrant, threshold: number | undefined): PlotModel {
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

/** The visible chart. Screen readers get the table instead, and remote focus skips it. */
function PlotCanvas({ model, className }: { model: PlotModel; className: string | undefined }) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(null);
  useEffect(() => {
    if (!host.current) return;
    const made = new Plot(host.current);
    plot.current = made;
    return () => made.close();
  }, []);
  useEffect(() => plot.current?.show(model), [model]);
  return <div ref={host} className={`${styles.plot} ${className}`} aria-hidden="true" />;
}

/** More rows would be too many to listen to. */
const maxRows = 30;

interface ValueTableProps {
  /** The measure and the period: 'Network bandwidth, last 5 minutes'. */
  label: string;
  unit: string;
  points: readonly ChartPoint[];
  threshold?: string | undefined;
}

/** The values of a chart for screen readers. */
function ValueTable({ label, unit, points, threshold }: ValueTableProps) {
  return (
    <div className="visually-hidden">
      <table>
        <caption>
          {`${label}: ${summaryOf(points, unit)}.`}
          {threshold !== undefined && ` ${threshold}.`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {thinPoints(points, maxRows).map(({ at, value }) => (
            <tr key={at}>
              <th scope="row">{new Date(at).toLocaleTimeString()}</th>
              <td>{value === null ? 'no data' : roundedText(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The summary: 'between 9 and 59 Mbps, last 42.6 Mbps', or 'no data'. */
function summaryOf(points: readonly ChartPoint[], unit: string): string {
  const last = lastValue(points);
  if (!last) return 'no data';
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [lowest, highest] = [roundedText(Math.min(...values)), roundedText(Math.max(...values))];
  const range = lowest === highest ? `${lowest} ${unit}` : `between ${lowest} and ${highest} ${unit}`;
  return `${range}, last ${roundedText(last.value)} ${unit}`;
}

function roundedText(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: 1 });
}
