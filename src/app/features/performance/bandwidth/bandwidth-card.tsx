import { Card } from '#app/ui/card/card.tsx';
import { oneDecimal } from '#contract/rules/alerts.ts';
import type { ShownReadings } from '../performance-store.ts';
import { windowText } from '../performance-words.ts';
import styles from './bandwidth-card.module.css';

/** What is sent to the people who are watching. */
export function BandwidthCard({ readings: { bandwidth, window } }: { readings: ShownReadings }) {
  const mbps = bandwidth.current_bandwidth_mbps;
  const isEmpty = bandwidth.history.every((point) => point.mbps === 0);
  return (
    <Card
      title="Network Bandwidth"
      end={<span className={styles.now}>{mbps === null ? 'Nobody is watching' : `${oneDecimal(mbps)} Mbps`}</span>}
      isReadOnly
    >
      {isEmpty && <p className={styles.none}>{`No video was sent in ${windowText(window)}.`}</p>}
    </Card>
  );
}
