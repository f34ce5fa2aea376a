import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Notice } from '#app/ui/card/notice.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import shared from '../section.module.css';
import styles from './jobs-section.module.css';
import { jobActions, jobs, resetJobActions } from './jobs-store.ts';
import { KindCard } from './kind-card.tsx';

/** Work in the background: a card for each kind, however much of it there is. */
export function JobsSection() {
  const state = useSnapshot(jobs.state);
  const { notice } = useSnapshot(jobActions);
  useEffect(() => jobs.open(), []);
  useEffect(() => resetJobActions, []);
  return (
    <div className={shared.section}>
      <Notice notice={notice} />
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void jobs.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value?.kinds.length === 0 && (
          <p className={shared.empty}>No work yet. Scans and posters are listed here while they are made.</p>
        )}
        {state.value?.kinds.map((counts) => (
          <KindCard
            key={counts.kind}
            counts={counts}
            running={state.value?.running.filter(({ kind }) => kind === counts.kind) ?? []}
          />
        ))}
      </ListBody>
    </div>
  );
}
