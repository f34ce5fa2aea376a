import { useSnapshot } from 'valtio';
import styles from './live-mark.module.css';
import { readings } from './performance-store.ts';
import { clockText } from './performance-words.ts';

/** Whether the figures are those of now, and if not, since when. */
export function LiveMark() {
  const { value, failure, isOffline } = useSnapshot(readings.state);
  const isLive = !isOffline && failure === null;
  const words = isLive ? 'Live' : isOffline ? 'Offline' : 'Not live';
  return (
    <p role="status" className={isLive ? styles.live : styles.stale}>
      {(value || !isLive) && (
        <>
          <span className={styles.dot} />
          {isLive || !value ? words : `${words}, as of ${clockText(value.readAt)}`}
        </>
      )}
    </p>
  );
}
