import type { CSSProperties } from 'react';
import { limits } from '#contract/limits.ts';
import type { HealthStatus } from '#contract/rules/health.ts';
import { healthStatus } from '#contract/rules/health.ts';
import { healthWords } from '../performance-words.ts';
import styles from './health-scale.module.css';

/** Each status with the score that it starts at, and the one that it ends below. */
const parts: readonly { status: HealthStatus; from: number; to: number }[] = [
  { status: 'poor', from: 0, to: limits.healthFairFrom },
  { status: 'fair', from: limits.healthFairFrom, to: limits.healthGoodFrom },
  { status: 'good', from: limits.healthGoodFrom, to: limits.healthExcellentFrom },
  { status: 'excellent', from: limits.healthExcellentFrom, to: limits.healthScoreMax },
];

/** A part grows where large type makes its word wider than its share. */
const columns = parts.map(({ from, to }) => `minmax(min-content, ${to - from}fr)`).join(' ');

/** Four parts as wide as their share of the points, with a marker at the score. Number and word say the same. */
export function HealthScale({ score }: { score: number }) {
  const reached = healthStatus(score);
  return (
    <div className={styles.scale} style={{ gridTemplateColumns: columns }} aria-hidden="true">
      {parts.map(({ status, from, to }) => (
        <div key={status} className={status === reached ? styles.reached : undefined}>
          <div className={styles.bar}>
            {status === reached && (
              <span
                className={styles.marker}
                style={{ '--at': `${((score - from) / (to - from)) * 100}%` } as CSSProperties}
              />
            )}
          </div>
          {healthWords[status]}
        </div>
      ))}
    </div>
  );
}
