import { useSnapshot } from 'valtio';
import { countsNow, loaded, videos } from '../videos-store.ts';
import styles from './tagging-counts.module.css';

/** How many videos are untagged and tagged, and how many there are. */
export function TaggingCounts() {
  const counts = useCounts();
  if (counts === null) return null;
  const { untagged, tagged, total } = counts;
  return (
    <dl className={styles.counts}>
      {Object.entries({ untagged, tagged, total }).map(([name, count]) => (
        <div key={name} className={styles.count}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.number}>{count.toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The line under the title. */
export function UntaggedLine() {
  const untagged = useCounts()?.untagged;
  if (untagged === undefined) return null;
  return `${untagged.toLocaleString()} ${untagged === 1 ? 'video needs' : 'videos need'} tags`;
}

function useCounts() {
  const { items } = useSnapshot(videos.state);
  return countsNow(useSnapshot(loaded), items);
}
