import { Check } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { keepingOf, requestKeep, savedOf, startKeeping } from '#app/state/saved/keeping.ts';
import { removeSaved } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { savingText } from '#app/ui/texts.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { closeQuadrantMenu } from './controls-store.ts';
import styles from './quadrant-menu.module.css';

/** Keeps a quadrant's video on this device, or removes it. */
export function KeepEntry({ video }: { video: PlayableVideo }) {
  useEffect(startKeeping, []);
  const { rows, encodings } = useSnapshot(saved) as typeof saved;
  const row = savedOf(rows, video.id);
  const kept = row?.kind === 'chosen' ? row : null;
  // A video that plays from this device names no files that could be kept.
  if (!kept && !keepingOf(video, false)) return null;
  const label =
    kept === null ? 'Keep offline' : kept.state === 'whole' ? 'Kept offline' : savingText(kept, encodings[kept.id]);
  const choose = () => {
    closeQuadrantMenu();
    if (kept) void removeSaved([kept.id]);
    else requestKeep({ kind: 'video', video });
  };
  return (
    <button type="button" className={styles.entry} aria-pressed={kept !== null} onClick={choose}>
      <span className={styles.mark}>{kept?.state === 'whole' && <Check aria-hidden="true" />}</span>
      {label}
    </button>
  );
}

/** Keeps the newest videos of a quadrant's filter, and those that come. */
export function KeepFilterEntry({ filter }: { filter: TagFilter }) {
  const choose = () => {
    closeQuadrantMenu();
    requestKeep({ kind: 'filter', filter, name: 'The channels of this quadrant' });
  };
  return (
    <button type="button" className={styles.entry} onClick={choose}>
      Keep its channels offline
    </button>
  );
}
