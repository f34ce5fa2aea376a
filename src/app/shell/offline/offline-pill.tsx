import { WifiOff } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { offlineNotice } from './offline-notice.ts';
import styles from './offline-pill.module.css';

/** Offline notice over the feed, top centre: a sentence for a while, then the icon alone. */
export function OfflinePill() {
  const { face } = useSnapshot(offlineNotice);
  return (
    <div role="status">
      {face !== 'hidden' && (
        <div className={styles.pill}>
          <WifiOff aria-hidden="true" />
          <span className={face === 'tile' ? 'visually-hidden' : styles.words}>You are offline</span>
        </div>
      )}
    </div>
  );
}
