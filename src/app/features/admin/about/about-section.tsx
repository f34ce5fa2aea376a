import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import shared from '../section.module.css';
import styles from './about-section.module.css';
import { about } from './about-store.ts';
import { AddressCard } from './address-card.tsx';
import { BackupCard } from './backup-card.tsx';
import { MissingCard } from './missing-card.tsx';
import { ServerCard } from './server-card.tsx';
import { StorageCard } from './storage-card.tsx';

/** What runs here, what is missing, and whether there is a backup. */
export function AboutSection() {
  const state = useSnapshot(about.state);
  useEffect(() => about.open(), []);
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void about.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value && (
          <div className={shared.section}>
            <MissingCard degraded={state.value.degraded} />
            <div className={shared.columns}>
              <ServerCard about={state.value} />
              <StorageCard about={state.value} />
              <BackupCard backup={state.value.backup} />
              <AddressCard addresses={state.value.addresses} />
            </div>
          </div>
        )}
      </ListBody>
    </div>
  );
}
