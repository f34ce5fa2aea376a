import { Card } from '#app/ui/card/card.tsx';
import { limits } from '#contract/limits.ts';
import { bandwidthScore, healthStatus, systemScore } from '#contract/rules/health.ts';
import { Figures } from '../figures.tsx';
import type { ShownReadings } from '../performance-store.ts';
import { healthWords, outOfText, scoreText, windowText } from '../performance-words.ts';
import styles from './health-card.module.css';
import { HealthScale } from './health-scale.tsx';

/** The score of the whole site, its word, and what it is made of (§9 Health). */
export function HealthCard({ readings: { quadrants, bandwidth, window } }: { readings: ShownReadings }) {
  const metrics = quadrants.map((quadrant) => quadrant.metrics);
  const mbps = bandwidth.current_bandwidth_mbps;
  const score = systemScore(metrics, mbps);
  // Without a bandwidth the quadrants stand alone.
  const average = systemScore(metrics, null);
  return (
    <Card title="System Health" isReadOnly>
      {score === null ? (
        <p className={styles.none}>{`No score: no playback was measured in ${windowText(window)}.`}</p>
      ) : (
        <>
          <p className={styles.score}>
            <b className={styles.number}>{scoreText(score)}</b>
            <span className="visually-hidden">{` of ${limits.healthScoreMax}, `}</span>
            <span className={styles.word}>{healthWords[healthStatus(score)]}</span>
          </p>
          <HealthScale score={score} />
        </>
      )}
      <Figures
        figures={[
          { label: 'Quadrants, average', value: average === null ? 'No data' : outOfText(average) },
          { label: 'Bandwidth', value: mbps === null ? 'Nobody is watching' : outOfText(bandwidthScore(mbps)) },
        ]}
      />
    </Card>
  );
}
