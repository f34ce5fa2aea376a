import { QuadrantGlyph } from '#app/ui/badge.tsx';
import { Card } from '#app/ui/card.tsx';
import { LineChart, Sparkline } from '#app/ui/chart.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import type { PerformanceMetrics, PerformancePoint } from '#contract/entities/performance.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { Alarm, TimeWindow } from '#contract/rules/health.ts';
import { healthStatus, minutesOf, oneDecimal, quadrantScore } from '#contract/rules/health.ts';
import styles from './figures.module.css';
import type { ShownReadings } from './performance-store.ts';

export interface Figure {
  label: string;
  value: string;
  /** Whether the threshold is crossed. */
  isBad?: boolean;
}

/** Measured figures, one per line. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ label, value, isBad = false }) => (
        <div key={label} className={styles.figure}>
          <dt className={styles.label}>{label}</dt>
          <dd className={isBad ? `${styles.value} ${styles.bad}` : styles.value}>
            {isBad && <span className="visually-hidden">Out of range: </span>}
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * Label of the choice that includes all quadrants, and of alerts that concern none in particular.
 */
export const allQuadrants = 'All quadrants';

/** The window in words: 'the last 5 minutes', 'the last hour'. */
export function windowText(window: TimeWindow): string {
  const minutes = minutesOf(window);
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [minutes / 60, 'hour'];
  return count === 1 ? `the last ${unit}` : `the last ${count} ${unit}s`;
}

/**
 * The score in whole points, rounded down where rounding up would reach the next status: 79.6
 * becomes 79, which is still good.
 */
export function scoreText(score: number): string {
  const rounded = Math.round(score);
  return String(healthStatus(rounded) === healthStatus(score) ? rounded : Math.floor(score));
}

export function outOfText(score: number): string {
  return `${scoreText(score)} of ${limits.healthScoreMax}`;
}

/**
 * The time of day on this device, such as '14:32:05'.
 * @param time epoch milliseconds, or the server's text of an instant
 */
export function timeOfDayText(time: number | string): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

interface Props {
  quadrant: Quadrant;
  readings: ShownReadings;
  range: SeriesWindow;
  /** Whether the card is alone and shows all of its series. */
  isWide: boolean;
}

/** The playback quality of one quadrant over all viewers. */
export function QuadrantCard({ quadrant, readings, range, isWide }: Props) {
  const { metrics = null, series = [] } = readings.quadrants.find(({ id }) => id === quadrant) ?? {};
  const span = windowText(readings.window);
  return (
    <div className={styles.quadrant}>
      <Card
        title={quadrantNames[quadrant]}
        mark={<QuadrantGlyph quadrant={quadrant} />}
        end={metrics && <Score score={quadrantScore(metrics)} />}
        isReadOnly
      >
        {metrics === null && <p className={styles.none}>{failures.noPerformanceData}</p>}
        {metrics && isWide && <QuadrantSeries quadrant={quadrant} series={series} range={range} span={span} />}
        {metrics && !isWide && <BufferLine quadrant={quadrant} series={series} range={range} span={span} />}
        {metrics && <Figures figures={figuresOf(quadrant, metrics, readings.alarms)} />}
      </Card>
    </div>
  );
}

function BufferLine({ quadrant, series, range, span }: Parameters<typeof QuadrantSeries>[0]) {
  return (
    <>
      <Sparkline
        label={`Buffer level, ${span}`}
        unit="s"
        quadrant={quadrant}
        points={series.map(({ timestamp, bufferLevel }) => ({ at: Date.parse(timestamp), value: bufferLevel }))}
        threshold={limits.lowBufferSeconds}
        {...range}
      />
      <p className={styles.caption}>{`Buffer level, dashed line at ${limits.lowBufferSeconds}\u00a0s`}</p>
    </>
  );
}

function Score({ score }: { score: number }) {
  return (
    <p className={styles.score}>
      <span className="visually-hidden">Score: </span>
      {scoreText(score)}
      <span className="visually-hidden">{` of ${limits.healthScoreMax}`}</span>
    </p>
  );
}

/** The four figures of a quadrant. Those with a crossed threshold are marked. */
function figuresOf(quadrant: Quadrant, metrics: PerformanceMetrics, alarms: readonly Pick<Alarm, 'id'>[]): Figure[] {
  const isCrossed = (threshold: string) => alarms.some(({ id }) => id === `${threshold}:${quadrant}`);
  return [
    {
      label: 'Dropped frames',
      value: `${oneDecimal(metrics.averageDroppedFrameRate)}%`,
      isBad: isCrossed('dropped-frames'),
    },
    { label: 'Buffer level', value: `${oneDecimal(metrics.averageBufferLevel)} s`, isBad: isCrossed('buffer') },
    { label: 'Stall events', value: oneDecimal(metrics.stallEvents), isBad: isCrossed('stalls') },
    { label: 'Quality adjustments', value: oneDecimal(metrics.qualityAdjustments) },
  ];
}

interface QuadrantSeriesProps {
  quadrant: Quadrant;
  series: readonly Readonly<PerformancePoint>[];
  range: SeriesWindow;
  /** The window in words for screen readers: 'the last 5 minutes'. */
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

/** Charts of the measurements that the quadrant's alerts watch. */
function QuadrantSeries({ quadrant, series, range, span }: QuadrantSeriesProps) {
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

/**
 * The time range of the charts of a refresh, in epoch milliseconds, and the largest gap they
 * bridge.
 */
export interface SeriesWindow {
  from: number;
  to: number;
  /** Points farther apart are not joined: at least one step between them has no measurement. */
  maxGapMs: number;
}

/**
 * The server's steps are 10 seconds for windows up to 15 minutes, and at most a 60th of longer
 * windows.
 */
const minGapMs = 20_000;
const stepsInWindow = 40;

/**
 * The window ends at the present by the server's clock, which timed the points. The device's clock
 * may be off by more than a window.
 */
export function seriesWindowOf({ window, bandwidth, quadrants, readAt }: ShownReadings): SeriesWindow {
  const windowMs = minutesOf(window) * 60_000;
  const maxGapMs = Math.max(minGapMs, windowMs / stepsInWindow);
  const points = [bandwidth.history, ...quadrants.map(({ series }) => series)].flatMap((all) => all.map(timeOf));
  const earliest = Math.max(...points);
  const latest = Math.min(...points) + windowMs + maxGapMs;
  const to = Math.max(earliest, Math.min(latest, readAt));
  return { from: to - windowMs, to, maxGapMs };
}

function timeOf({ timestamp }: { readonly timestamp: string }): number {
  return Date.parse(timestamp);
}
