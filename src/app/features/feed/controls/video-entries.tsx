import { Check, Heart } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { keepingOf, requestKeep, savedOf, startKeeping } from '#app/state/saved/keeping.ts';
import { removeSaved } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { favourites, showFavourites, toggleFavourite } from '#app/state/video-sets.ts';
import { savingText } from '#app/ui/texts.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { feed } from '../feed-state.ts';
import { showWords } from '../filter/channel-keys.ts';
import { closeQuadrantMenu } from './controls-store.ts';
import styles from './quadrant-menu.module.css';

interface FavouriteProps {
  quadrant: Quadrant;
  video: { readonly id: string };
}

/** Makes a quadrant's video a favourite, or none. */
export function FavouriteEntry({ quadrant, video }: FavouriteProps) {
  useEffect(showFavourites, []);
  const isFavourite = useSnapshot(favourites).ids.includes(video.id);
  return (
    <Entry
      mark={<Heart aria-hidden="true" fill={isFavourite ? 'currentColor' : 'none'} />}
      label={isFavourite ? 'Remove from Favourites' : 'Add to Favourites'}
      onChoose={() => void changeFavourite(quadrant, isFavourite)}
    />
  );
}

/**
 * Makes the video that a quadrant shows a favourite, or none, and says so on it.
 * @param isFavourite whether it was shown as one; undefined: nothing showed it, the list decides
 */
export async function changeFavourite(quadrant: Quadrant, isFavourite?: boolean): Promise<void> {
  const { shown } = feed.quadrants[quadrant];
  const words = shown && (await toggleFavourite(shown, isFavourite));
  if (words) showWords(quadrant, words);
}

/** Keeps a quadrant's video on this device, or removes it. */
export function KeepEntry({ video }: { video: PlayableVideo }) {
  useEffect(startKeeping, []);
  const { rows, encodings } = useSnapshot(saved) as typeof saved;
  const row = savedOf(rows, video.id);
  const kept = row?.kind === 'chosen' ? row : null;
  // A video that plays from this device names no files that could be kept.
  if (!kept && !keepingOf(video, false)) return null;
  return (
    <Entry
      mark={kept?.state === 'whole' && <Check aria-hidden="true" />}
      label={
        kept === null ? 'Keep offline' : kept.state === 'whole' ? 'Kept offline' : savingText(kept, encodings[kept.id])
      }
      isPressed={kept !== null}
      onChoose={() => {
        if (kept) void removeSaved([kept.id]);
        else requestKeep({ kind: 'video', video });
      }}
    />
  );
}

/** Keeps the newest videos of a quadrant's filter, and those that come. */
export function KeepFilterEntry({ filter }: { filter: TagFilter }) {
  const choose = () => requestKeep({ kind: 'filter', filter, name: 'The channels of this quadrant' });
  return <Entry label="Keep its channels offline" onChoose={choose} />;
}

interface EntryProps {
  /** The icon in front of the label; undefined: the label has no room for one. */
  mark?: ReactNode;
  label: string;
  isPressed?: boolean;
  onChoose: () => void;
}

/** An entry that closes the menu when it is chosen. */
function Entry({ mark, label, isPressed, onChoose }: EntryProps) {
  const choose = () => {
    closeQuadrantMenu();
    onChoose();
  };
  return (
    <button type="button" className={styles.entry} aria-pressed={isPressed} onClick={choose}>
      {mark !== undefined && <span className={styles.mark}>{mark}</span>}
      {label}
    </button>
  );
}
