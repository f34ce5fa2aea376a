import { Heart } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { favourites, showFavourites, toggleFavourite } from '#app/state/video-sets.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { feed } from '../feed-state.ts';
import { showWords } from '../filter/channel-keys.ts';
import { closeQuadrantMenu } from './controls-store.ts';
import styles from './quadrant-menu.module.css';

interface Props {
  quadrant: Quadrant;
  video: { readonly id: string };
}

/** Makes a quadrant's video a favourite, or none. */
export function FavouriteEntry({ quadrant, video }: Props) {
  useEffect(showFavourites, []);
  const isFavourite = useSnapshot(favourites).ids.includes(video.id);
  const choose = () => {
    closeQuadrantMenu();
    void changeFavourite(quadrant);
  };
  return (
    <button type="button" className={styles.entry} onClick={choose}>
      <span className={styles.mark}>
        <Heart aria-hidden="true" fill={isFavourite ? 'currentColor' : 'none'} />
      </span>
      {isFavourite ? 'Remove from Favourites' : 'Add to Favourites'}
    </button>
  );
}

/** Makes the video that a quadrant shows a favourite, or none, and says so on it. */
export async function changeFavourite(quadrant: Quadrant): Promise<void> {
  const { shown } = feed.quadrants[quadrant];
  if (shown) showWords(quadrant, await toggleFavourite(shown));
}
