import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import shared from '../section.module.css';
import { CacheCard } from './cache-card.tsx';
import { FolderChannelsCard } from './folder-channels-card.tsx';
import { HiddenCard } from './hidden-card.tsx';
import { IntervalCard } from './interval-card.tsx';
import styles from './library-section.module.css';
import { library, resetLibraryActions } from './library-store.ts';
import { RemovedUploadsCard } from './removed-uploads-card.tsx';
import { RootCards } from './root-cards.tsx';
import { ScanCard } from './scan-card.tsx';
import { UnplayableCard } from './unplayable-card.tsx';

/** The folders of videos, what was found in them, and what the site makes of it. */
export function LibrarySection() {
  const state = useSnapshot(library.state);
  useEffect(() => library.open(), []);
  useEffect(() => resetLibraryActions, []);
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void library.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value && (
          <div className={shared.section}>
            <RootCards roots={state.value.roots} />
            <div className={shared.grid}>
              <ScanCard scan={state.value.scan} />
              <CacheCard bytes={state.value.cache_bytes} />
              <IntervalCard />
              <FolderChannelsCard />
            </div>
          </div>
        )}
      </ListBody>
      <UnplayableCard />
      <HiddenCard />
      <RemovedUploadsCard />
    </div>
  );
}
