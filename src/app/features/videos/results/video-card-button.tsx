import type { Snapshot } from 'valtio';
import { Preview } from '#app/ui/media/preview.tsx';
import { CardStills } from '#app/ui/storyboard/card-stills.tsx';
import { clockText } from '#contract/rules/duration.ts';
import type { VideoCard } from '../browse-store.ts';
import styles from './video-card-button.module.css';

interface Props {
  video: Snapshot<VideoCard>;
  onPress: () => void;
}

/** A video's poster, stills, length, name and channels; a press plays it. One that cannot be played says why. */
export function VideoCardButton({ video, onPress }: Props) {
  const { filename, url, poster_url, storyboard, duration, tags, available, message } = video;
  return (
    <button type="button" className={styles.card} onClick={onPress}>
      <Preview url={url} posterUrl={poster_url} failedText="" message={available ? null : message}>
        {available && storyboard && <CardStills sheet={storyboard} durationSeconds={duration} />}
        {available && duration !== null && <span className={styles.duration}>{clockText(duration)}</span>}
      </Preview>
      <bdi className={styles.name}>{filename}</bdi>
      <span className={styles.channels}>{tags.map(({ name }) => name).join(', ')}</span>
    </button>
  );
}
