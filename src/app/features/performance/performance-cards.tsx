import { useSnapshot } from 'valtio';
import { quadrants } from '#contract/quadrants.ts';
import { AlertsCard } from './alerts/alerts-card.tsx';
import { BandwidthCard } from './bandwidth/bandwidth-card.tsx';
import { HealthCard } from './health/health-card.tsx';
import styles from './performance-cards.module.css';
import type { ShownReadings } from './performance-store.ts';
import { dashboard } from './performance-store.ts';
import { QuadrantCard } from './quadrants/quadrant-card.tsx';
import { seriesWindowOf } from './series/series-window.ts';
import { VideosSection } from './videos/videos-section.tsx';
import { ViewersSection } from './viewers/viewers-section.tsx';

/** The figures of one refresh, and what an operator asks next: who is watching, and which videos have trouble. */
export function PerformanceCards({ readings }: { readings: ShownReadings }) {
  const { quadrant: chosen, window } = useSnapshot(dashboard);
  const range = seriesWindowOf(readings);
  const isWide = chosen !== 'all';
  const shown = quadrants.filter((quadrant) => !isWide || quadrant === chosen);
  return (
    <div className={styles.cards}>
      <div className={styles.site}>
        <HealthCard readings={readings} />
        <BandwidthCard readings={readings} range={range} />
      </div>
      <div className={isWide ? undefined : styles.quadrants}>
        {shown.map((quadrant) => (
          <QuadrantCard key={quadrant} quadrant={quadrant} readings={readings} range={range} isWide={isWide} />
        ))}
      </div>
      <AlertsCard />
      <ViewersSection />
      <VideosSection window={window} />
    </div>
  );
}
