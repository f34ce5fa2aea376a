import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Page } from '#app/ui/page.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { quadrants } from '#contract/quadrants.ts';
import { AlertAnnouncer } from './alerts/alert-announcer.tsx';
import { AlertsCard } from './alerts/alerts-card.tsx';
import { BandwidthCard } from './bandwidth/bandwidth-card.tsx';
import { HealthCard } from './health/health-card.tsx';
import { LiveMark } from './live-mark.tsx';
import styles from './performance-screen.module.css';
import { PerformanceSkeleton } from './performance-skeleton.tsx';
import { dashboard, readings } from './performance-store.ts';
import { PerformanceTools } from './performance-tools.tsx';
import { QuadrantCard } from './quadrants/quadrant-card.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Performance Dashboard. */
export function PerformanceScreen({ title, notice }: Props) {
  const state = useSnapshot(readings.state);
  const { quadrant: chosen } = useSnapshot(dashboard);
  useEffect(() => readings.open(), []);
  const { value } = state;
  const shown = quadrants.filter((quadrant) => chosen === 'all' || quadrant === chosen);
  return (
    <Page title={title} notice={notice} mark={<LiveMark />} end={<PerformanceTools />}>
      <AlertAnnouncer />
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void readings.reload()}
        skeleton={<PerformanceSkeleton />}
        empty={null}
      >
        {value && (
          <div className={styles.cards}>
            <div className={styles.site}>
              <HealthCard readings={value} />
              <BandwidthCard readings={value} />
            </div>
            <div className={chosen === 'all' ? styles.quadrants : undefined}>
              {shown.map((quadrant) => (
                <QuadrantCard key={quadrant} quadrant={quadrant} readings={value} />
              ))}
            </div>
            <AlertsCard />
          </div>
        )}
      </ListBody>
    </Page>
  );
}
