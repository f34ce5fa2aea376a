import { useSnapshot } from 'valtio';
import { applyFilter, noFilter } from '#app/state/quadrant-filters.ts';
import { blockedTagIds, session } from '#app/state/session.ts';
import { status } from '#app/state/status.ts';
import { visitBlocklist } from '#app/state/view-requests.ts';
import { Bar } from '#app/ui/bar.tsx';
import { LogoOutline } from '#app/ui/glyphs.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './library-messages.module.css';

interface NoVideosProps {
  quadrant: Quadrant;
  /** The quadrant has a filter, which may exclude existing videos. */
  isFiltered: boolean;
}

/**
 * The message that there is nothing to play, over the whole quadrant. It offers to clear the filter
 * or to change the blocklist.
 */
export function NoVideos({ quadrant, isFiltered }: NoVideosProps) {
  const isBlocking = useIsBlocking();
  return (
    <div className={styles.none}>
      <LogoOutline className={styles.outline} />
      <h2>No videos yet</h2>
      <p>Upload your first video to get started with your feed!</p>
      <p className={styles.hint}>Use the Upload page from the menu</p>
      {isFiltered && <Action label="Clear filter" onPress={() => applyFilter(quadrant, noFilter)} />}
      {!isFiltered && isBlocking && <Action label="Change blocklist" onPress={visitBlocklist} />}
    </div>
  );
}

/** The message that no video on this device matches the filter, while there is no network. */
export function NoSaved({ quadrant }: Pick<NoVideosProps, 'quadrant'>) {
  return (
    <div className={styles.none}>
      <LogoOutline className={styles.outline} />
      <h2>No saved video matches</h2>
      <Action label="Clear filter" onPress={() => applyFilter(quadrant, noFilter)} />
    </div>
  );
}

function Action({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" className={styles.action} onClick={onPress}>
      {label}
    </button>
  );
}

/** Whether channels are blocked and the library is not known to be empty. */
function useIsBlocking(): boolean {
  const { counts } = useSnapshot(status);
  return blockedTagIds(useSnapshot(session)).length > 0 && counts?.availableVideos !== 0;
}

interface DownloadProps {
  /** Name of the progress bar, for screen readers. */
  label: string;
  /** Percentage; null before the work begins. */
  progress: number | null;
}

/**
 * Progress of making a video playable. Screen readers announce the message around it, not its
 * percentages.
 */
export function DownloadProgress({ label, progress }: DownloadProps) {
  return (
    <div className={styles.progress} aria-live="off">
      <Bar share={progress === null ? null : progress / 100} label={label} />
      {progress !== null && (
        <span className={styles.percent} aria-hidden="true">
          {`${Math.round(progress)} %`}
        </span>
      )}
    </div>
  );
}
