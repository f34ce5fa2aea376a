import { Heart } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { isTyping } from '#app/platform/input/remote-keys.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { isCovered } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { favourites, toggleFavourite } from '#app/state/video-sets.ts';
import { IconButton } from '#app/ui/button.tsx';
import { notices } from '#contract/notices.ts';
import styles from './favourite-button.module.css';

interface Props {
  video: { readonly id: string; readonly title: string };
}

/** Makes the video of the player a favourite, or none, also by its key. */
export function FavouriteButton({ video: { id, title } }: Props) {
  const isFavourite = useSnapshot(favourites).ids.includes(id);
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isFavouriteKey(event)) return;
      event.preventDefault();
      void toggleFavourite({ id, title }, isFavourite).then(setOutcome);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [id, title, isFavourite]);
  return (
    <>
      <span role="status" className={isShownByHeart(outcome) ? 'visually-hidden' : styles.outcome}>
        {outcome}
      </span>
      <IconButton
        label={isFavourite ? 'Remove from Favourites' : 'Add to Favourites'}
        icon={<Mark isFavourite={isFavourite} />}
        onPress={() => void toggleFavourite({ id, title }, isFavourite).then(setOutcome)}
      />
    </>
  );
}

/** Whether nothing more needs to be said than the heart shows. */
export function isShownByHeart(outcome: string): boolean {
  return outcome === notices.favouriteAdded || outcome === notices.favouriteRemoved;
}

function isFavouriteKey({ key, altKey, ctrlKey, metaKey, shiftKey, repeat, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() !== 'h' || altKey || ctrlKey || metaKey || shiftKey || repeat) return false;
  return settings.areShortcutsOn && !isTyping(target) && !isCovered();
}

/** A heart on a card, for whoever is signed in. On TVs it only marks favourites. */
export function CardHeart({ video, onTold }: Props & { onTold: (sentence: string) => void }) {
  const isFavourite = useSnapshot(favourites).ids.includes(video.id);
  const { user } = useSnapshot(session);
  if (!user || (currentForm() === 'tv' && !isFavourite)) return null;
  if (currentForm() === 'tv')
    return (
      <span className={styles.heart} role="img" aria-label="Favourite">
        <Mark isFavourite />
      </span>
    );
  return (
    <button
      type="button"
      className={styles.heart}
      aria-label={`Favourite: ${video.title}`}
      aria-pressed={isFavourite}
      title={isFavourite ? 'Remove from Favourites' : 'Add to Favourites'}
      onClick={() => void toggleFavourite(video, isFavourite).then(onTold)}
    >
      <Mark isFavourite={isFavourite} />
    </button>
  );
}

function Mark({ isFavourite }: { isFavourite: boolean }) {
  return <Heart aria-hidden="true" fill={isFavourite ? 'currentColor' : 'none'} />;
}
