import { useMemo } from 'react';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './chart.module.css';
import type { ChartPoint, Series } from './chart-model.ts';
import { lastValue, markers, pointsOf, runsOf, thinPoints, timeTicks, valueTicks } from './chart-model.ts';

interface SparklineProps extends Series {
  /** The measure and the period, for screen readers: 'Network bandwidth, last 5 minutes'. */
  label: string;
  unit: string;
  /** Sets colour and marker. */
  quadrant: Quadrant;
  /** The level of a dashed line, which the text next to the chart explains. */
  threshold?: number | undefined;
}

interface LineChartProps extends Omit<SparklineProps, 'quadrant' | 'threshold'> {
  /** Omitted for a measure of the whole site. */
  quadrant?: Quadrant | undefined;
  /** A level with its text: 'Alert below 1 Mbps'. */
  threshold?: { value: number; words: string } | undefined;
}

/** A line chart of one series over time, with axes; values start at 0. */
export function LineChart({ label, unit, quadrant, threshold, points, from, to, maxGapMs }: LineChartProps) {
  const shown = useMemo(() => pointsOf({ points, from, to, maxGapMs }), [points, from, to, maxGapMs]);
  const ticks = valueTicks(highestOf(shown, threshold?.value));
  const plot = { points: shown, from, to, top: ticks[ticks.length - 1]?.at ?? 1, quadrant };
  const levels = ticks.map(({ at }) => at);
  return (
    <div className={styles.chart} data-colour={quadrant}>
      <div className={`${styles.plot} ${styles.large}`} aria-hidden="true">
        <div className={styles.values}>
          {ticks.map(({ words }) => (
            <span key={words}>{words}</span>
          ))}
        </div>
        <Field {...plot} levels={levels} hasScales threshold={threshold?.value} words={threshold?.words} />
      </div>
      <ValueTable label={label} unit={unit} points={shown} threshold={threshold?.words} />
    </div>
  );
}

/** A small line chart of one quadrant, without axes. */
export function Sparkline({ label, unit, quadrant, threshold, points, from, to, maxGapMs }: SparklineProps) {
  const shown = useMemo(() => pointsOf({ points, from, to, maxGapMs }), [points, from, to, maxGapMs]);
  const plot = { points: shown, from, to, top: highestOf(shown, threshold) || 1, quadrant };
  return (
    <div className={`${styles.chart} ${styles.spark}`} data-colour={quadrant}>
      <div className={`${styles.plot} ${styles.small}`} aria-hidden="true">
        <Field {...plot} threshold={threshold} />
      </div>
      <ValueTable label={label} unit={unit} points={shown} />
    </div>
  );
}

/** The value axis reaches at least twice the threshold, so that its words and the line have room. */
const headroom = 2;

function highestOf(points: readonly ChartPoint[], threshold = 0): number {
  return Math.max(threshold * headroom, ...points.map(({ value }) => value ?? 0));
}

interface FieldProps {
  points: readonly ChartPoint[];
  from: number;
  to: number;
  /** The value at the upper edge. */
  top: number;
  quadrant: Quadrant | undefined;
  /** Values of horizontal lines. */
  levels?: readonly number[];
  /** Whether there are labels of time, and an area below the line. */
  hasScales?: boolean;
  threshold?: number | undefined;
  /** The text at the threshold. */
  words?: string | undefined;
}

/** Units of the stretched picture across and down. */
const extent = 1_000;

/**
 * The lines are one picture that is stretched to the field; marks and words keep their shape, and
 * have places in percent.
 */
function Field({ points, from, to, top, quadrant, levels = [], hasScales, threshold, words }: FieldProps) {
  const across = (at: number) => (at - from) / (to - from);
  const down = (value: number) => 1 - value / top;
  const spot = (share: number) => (share * extent).toFixed(1);
  const runs = runsOf(points);
  const lines = runs.map((run) => run.map(({ at, value }) => `${spot(across(at))} ${spot(down(value))}`).join('L'));
  const areas = runs.map(
    (run, index) =>
      `M${spot(across(run[0]?.at ?? 0))} ${extent}L${lines[index]}L${spot(across(run[run.length - 1]?.at ?? 0))} ${extent}Z`,
  );
  const last = lastValue(points);
  return (
    <div className={styles.field}>
      <svg aria-hidden="true" className={styles.picture} viewBox={`0 0 ${extent} ${extent}`} preserveAspectRatio="none">
        <path className={styles.grid} d={levels.map((value) => `M0 ${spot(down(value))}H${extent}`).join('')} />
        {hasScales && <path className={styles.area} d={areas.join('')} />}
        <path className={styles.line} d={lines.map((line) => `M${line}`).join('')} />
        {threshold !== undefined && <path className={styles.threshold} d={`M0 ${spot(down(threshold))}H${extent}`} />}
      </svg>
      <svg aria-hidden="true" className={styles.marks}>
        {runs.map(
          ([first, second]) =>
            first &&
            !second && (
              <circle
                key={first.at}
                className={styles.dot}
                cx={percent(across(first.at))}
                cy={percent(down(first.value))}
                r="0.2em"
              />
            ),
        )}
        {words !== undefined && threshold !== undefined && (
          <text className={styles.words} x="100%" y={percent(down(threshold))} dy="-0.65em">
            {words}
          </text>
        )}
        {last && (
          <svg aria-hidden="true" className={styles.marker} x={percent(across(last.at))} y={percent(down(last.value))}>
            <svg aria-hidden="true" x="-0.35em" y="-0.35em" width="0.7em" height="0.7em" viewBox="-1 -1 2 2">
              <path d={quadrant ? markers[quadrant] : markers['top-left']} />
            </svg>
          </svg>
        )}
      </svg>
      {hasScales && <TimeLabels from={from} to={to} />}
    </div>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

/** A field without room for all labels shows the first and the last. */
function TimeLabels({ from, to }: { from: number; to: number }) {
  const [first, ...others] = timeTicks(from, to);
  const last = others.pop();
  return (
    <div className={styles.times}>
      <span>{first?.words}</span>
      <span className={styles.last}>{last?.words}</span>
      <div className={styles.between}>
        {others.map(({ at, words }) => (
          <span key={at} style={{ left: percent((at - from) / (to - from)) }}>
            {words}
          </span>
        ))}
      </div>
    </div>
  );
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
