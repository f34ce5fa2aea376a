import type { Snapshot } from 'valtio';
import { CardStills } from '#app/ui/media/card-stills.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { usePresses } from '#app/ui/presses.ts';
import { clockText } from '#contract/rules/duration.ts';
import type { VideoCard } from './browse-store.ts';
import { openPlaces, play } from './video-player.tsx';
import styles from './videos-screen.module.css';

/**
 * A video's poster, stills, duration, name and channels. A press plays it, a held one opens its
 * menu. A video that cannot be played shows the reason.
 */
export function VideoCardButton({ video }: { video: Snapshot<VideoCard> }) {
  const { title, filename, url, poster_url, storyboard, duration, tags, available, message } = video;
  const card = { ...video, tags: [...tags], renditions: [...video.renditions] };
  const presses = usePresses({ onPress: () => void play(card), onMenu: () => openPlaces(card) });
  return (
    <button type="button" className={styles.card} {...presses}>
      <Preview url={url} posterUrl={poster_url} failedText="" message={available ? null : message}>
        {available && storyboard && <CardStills sheet={storyboard} durationSeconds={duration} />}
        {available && duration !== null && <span className={styles.duration}>{clockText(duration)}</span>}
      </Preview>
      <bdi className={styles.name}>{title ?? filename}</bdi>
      <span className={styles.channels}>{tags.map(({ name }) => name).join(', ')}</span>
    </button>
  );
}
