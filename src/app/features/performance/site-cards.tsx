import { OctagonAlert, TriangleAlert } from 'lucide-react';
import type { CSSProperties } from 'react';
import { useSnapshot } from 'valtio';
import { Badge, QuadrantGlyph } from '#app/ui/badge.tsx';
import { Card } from '#app/ui/card.tsx';
import { LineChart } from '#app/ui/chart.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import type { PerformanceAlert } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { HealthStatus } from '#contract/rules/health.ts';
import { bandwidthScore, healthStatus, oneDecimal, systemScore } from '#contract/rules/health.ts';
import type { SeriesWindow } from './figures.tsx';
import { allQuadrants, Figures, outOfText, scoreText, timeOfDayText, windowText } from './figures.tsx';
import type { ShownReadings } from './performance-store.ts';
import { dashboard } from './performance-store.ts';
import styles from './site-cards.module.css';

/** The health score of the site, its status, and its components (§9 Health). */
export function HealthCard({ readings: { quadrants, bandwidth, window } }: { readings: ShownReadings }) {
  const metrics = quadrants.map((quadrant) => quadrant.metrics);
  const mbps = bandwidth.current_bandwidth_mbps;
  const score = systemScore(metrics, mbps);
  // A null bandwidth leaves the average of the quadrants alone.
  const average = systemScore(metrics, null);
  return (
    <Card title="System Health" isReadOnly>
      {score === null ? (
        <p className={styles.healthCardNone}>{`No score: no playback was measured in ${windowText(window)}.`}</p>
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

/** Each status with the score at which it starts, and the score below which it ends. */
const parts: readonly { status: HealthStatus; from: number; to: number }[] = [
  { status: 'poor', from: 0, to: limits.healthFairFrom },
  { status: 'fair', from: limits.healthFairFrom, to: limits.healthGoodFrom },
  { status: 'good', from: limits.healthGoodFrom, to: limits.healthExcellentFrom },
  { status: 'excellent', from: limits.healthExcellentFrom, to: limits.healthScoreMax },
];

/** A column widens when large type makes its label wider than its share. */
const columns = parts.map(({ from, to }) => `minmax(min-content, ${to - from}fr)`).join(' ');

/** A scale of the statuses, each as wide as its range of scores, with a marker at the score. */
function HealthScale({ score }: { score: number }) {
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

interface Props {
  readings: ShownReadings;
  range: SeriesWindow;
}

const threshold = { value: limits.lowBandwidthMbps, words: `Alert below ${limits.lowBandwidthMbps} Mbps` };

/** The mean bandwidth of the active viewers. The first point of the chart is later than the value. */
export function BandwidthCard({ readings: { bandwidth, window }, range }: Props) {
  const { current_bandwidth_mbps: mbps, history } = bandwidth;
  const span = windowText(window);
  return (
    <Card
      title="Network Bandwidth"
      end={<p className={styles.now}>{mbps === null ? 'Nobody is watching' : `${oneDecimal(mbps)} Mbps`}</p>}
      isReadOnly
    >
      {mbps === null && history.length === 0 ? (
        <p className={styles.bandwidthCardNone}>{`No video was sent in ${span}.`}</p>
      ) : (
        <LineChart
          label={`Network bandwidth, ${span}`}
          unit="Mbps"
          points={history.map((point) => ({ at: Date.parse(point.timestamp), value: point.mbps }))}
          threshold={threshold}
          {...range}
        />
      )}
    </Card>
  );
}

/** The latest alerts of the last 24 hours. */
export function AlertsCard() {
  const { alerts } = useSnapshot(dashboard);
  return (
    <Card title="Performance Alerts" isReadOnly>
      {alerts.length === 0 ? (
        <p className={styles.none}>No alerts in the last 24 hours.</p>
      ) : (
        <ul>
          {alerts.map((alert) => (
            <AlertRow key={`${alert.id} ${alert.timestamp}`} alert={alert} />
          ))}
        </ul>
      )}
    </Card>
  );
}

const icons = { error: OctagonAlert, warning: TriangleAlert };
const colours = { error: styles.error, warning: styles.warning };

function AlertRow({ alert }: { alert: Readonly<PerformanceAlert> }) {
  const { type, title, message, quadrant, severity, timestamp } = alert;
  const Icon = icons[type];
  return (
    <li className={styles.row}>
      <Icon aria-hidden="true" className={`${styles.icon} ${colours[type]}`} />
      <div className={styles.words}>
        <p className={styles.title}>{title}</p>
        <p className={styles.message}>{message}</p>
      </div>
      <div className={styles.facts}>
        <p className={styles.quadrant}>
          {quadrant && <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />}
          {quadrant ? quadrantNames[quadrant] : allQuadrants}
        </p>
        <p className={styles.severity}>
          <Badge words={severity} colour={colours[type]} />
        </p>
        <time dateTime={timestamp}>{timeOfDayText(timestamp)}</time>
      </div>
    </li>
  );
}

/**
 * Announces each new alert once to screen readers. It is rendered before the first alert, because
 * live regions announce only later changes.
 */
export function AlertAnnouncer() {
  const { newest } = useSnapshot(dashboard);
  return (
    <p role="status" className="visually-hidden">
      {newest.map(announcementOf).join(' ')}
    </p>
  );
}

function announcementOf({ title, message, quadrant }: Readonly<PerformanceAlert>): string {
  return `${title}, ${quadrant ? quadrantNames[quadrant] : allQuadrants}: ${message.replace(/\.$/, '')}.`;
}

const healthWords: Record<HealthStatus, string> = {
  excellent: 'Excellent',
  good: 'Good',
  fair: 'Fair',
  poor: 'Poor',
};
