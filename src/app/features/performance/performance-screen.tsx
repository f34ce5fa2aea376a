import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Page } from '#app/ui/page.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { AlertAnnouncer } from './alerts/alert-announcer.tsx';
import { LiveMark } from './live-mark.tsx';
import { PerformanceCards } from './performance-cards.tsx';
import styles from './performance-screen.module.css';
import { PerformanceSkeleton } from './performance-skeleton.tsx';
import { readings } from './performance-store.ts';
import { PerformanceTools } from './performance-tools.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Performance Dashboard. */
export function PerformanceScreen({ title, notice }: Props) {
  const state = useSnapshot(readings.state);
  useEffect(() => readings.open(), []);
  return (
    <Page title={title} notice={notice} mark={<LiveMark />} end={<PerformanceTools />}>
      <AlertAnnouncer />
      <div className={styles.body}>
        <ListBody
          face={resourceFace(state)}
          failure={state.failure}
          onRetry={() => void readings.reload()}
          skeleton={<PerformanceSkeleton />}
          empty={null}
        >
          {state.value && <PerformanceCards readings={state.value} />}
        </ListBody>
      </div>
    </Page>
  );
}
