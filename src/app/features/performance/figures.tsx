import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/health.ts';
import { healthStatus, minutesOf } from '#contract/rules/health.ts';
import styles from './figures.module.css';

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
