import type { Snapshot } from 'valtio';
import { Preview } from '#app/ui/media/preview.tsx';
import { clockText } from '#contract/rules/duration.ts';
import type { VideoCard } from '../browse-store.ts';
import styles from './video-card-button.module.css';

interface Props {
  video: Snapshot<VideoCard>;
  onPress: () => void;
}

/** A video's poster, length, name and channels; a press plays it. */
export function VideoCardButton({ video: { filename, url, poster_url, duration, tags }, onPress }: Props) {
  return (
    <button type="button" className={styles.card} onClick={onPress}>
      <Preview url={url} posterUrl={poster_url} failedText="">
        {duration !== null && <span className={styles.duration}>{clockText(duration)}</span>}
      </Preview>
      <bdi className={styles.name}>{filename}</bdi>
      <span className={styles.channels}>{tags.map(({ name }) => name).join(', ')}</span>
    </button>
  );
}
