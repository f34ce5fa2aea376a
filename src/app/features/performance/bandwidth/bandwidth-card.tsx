import { Card } from '#app/ui/card/card.tsx';
import { LineChart } from '#app/ui/chart/line-chart.tsx';
import { limits } from '#contract/limits.ts';
import { oneDecimal } from '#contract/rules/health.ts';
import type { ShownReadings } from '../performance-store.ts';
import { windowText } from '../performance-words.ts';
import type { SeriesWindow } from '../series/series-window.ts';
import styles from './bandwidth-card.module.css';

interface Props {
  readings: ShownReadings;
  range: SeriesWindow;
}

const threshold = { value: limits.lowBandwidthMbps, words: `Alert below ${limits.lowBandwidthMbps} Mbps` };

/** What those who are watching are sent: the mean over them. */
export function BandwidthCard({ readings: { bandwidth, window }, range }: Props) {
  const { current_bandwidth_mbps: mbps, history } = bandwidth;
  const span = windowText(window);
  return (
    <Card
      title="Network Bandwidth"
      end={<p className={styles.now}>{mbps === null ? 'Nobody is watching' : `${oneDecimal(mbps)} Mbps`}</p>}
      isReadOnly
    >
      {history.length === 0 ? (
        <p className={styles.none}>{`No video was sent in ${span}.`}</p>
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
