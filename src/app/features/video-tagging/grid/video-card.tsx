import { Check, Play } from 'lucide-react';
import type { MouseEvent } from 'react';
import type { Snapshot } from 'valtio';
import { IconButton } from '#app/ui/icon-button.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { megabytesText } from '#app/ui/size-text.ts';
import { CardStills } from '#app/ui/storyboard/card-stills.tsx';
import { limits } from '#contract/limits.ts';
import { isUntagged, splitChips } from '#contract/rules/tag-lists.ts';
import { play } from '../player-store.ts';
import { TagChip } from '../tag-chip.tsx';
import { pressVideo, selectTo, startSelecting, toggleSelected } from '../tagging-store.ts';
import type { TaggingVideo } from '../videos-store.ts';
import { useLongPress } from './use-long-press.ts';
import styles from './video-card.module.css';

interface Props {
  item: Snapshot<TaggingVideo>;
  isChosen: boolean;
  isSelected: boolean;
  isEditor: boolean;
}

/** A video with its tags: a press shows it in the panel, Shift or a long press selects it. */
export function VideoCard({ item: { video, tags }, isChosen, isSelected, isEditor }: Props) {
  const { id, filename, size, url, poster_url, storyboard, duration, available, message } = video;
  const longPress = useLongPress(() => {
    if (!isEditor) return;
    startSelecting();
    toggleSelected(id);
  });
  const press = ({ shiftKey }: MouseEvent) => {
    if (shiftKey && isEditor) selectTo(id);
    else pressVideo(id);
  };
  return (
    <li className={styles.item} data-video={id}>
      <button
        type="button"
        className={`${styles.card} ${isChosen || isSelected ? styles.on : ''}`}
        aria-pressed={isChosen || isSelected}
        {...longPress}
        onClick={press}
      >
        <span className={styles.frame}>
          <Preview
            url={url}
            posterUrl={poster_url}
            failedText={isEditor ? 'Click to tag' : 'No preview'}
            message={available ? null : message}
          >
            {available && storyboard && <CardStills sheet={storyboard} durationSeconds={duration} />}
            {isUntagged(tags) && <span className={styles.needs}>NEEDS TAGS</span>}
            {isSelected && (
              <span className={styles.check}>
                <Check aria-hidden="true" />
              </span>
            )}
          </Preview>
        </span>
        <span className={styles.line}>
          <bdi className={styles.name}>{filename}</bdi>
          <span className={styles.size}>{megabytesText(size)}</span>
        </span>
        <CardTags tags={tags} isEditor={isEditor} />
      </button>
      {/* A level of its own, so that arrows lead from card to card. */}
      <span className={styles.over} data-focus-level>
        <IconButton
          className={styles.play}
          label={`Play ${filename}`}
          icon={<Play aria-hidden="true" />}
          onPress={() => void play(video)}
        />
      </span>
    </li>
  );
}

function CardTags({ tags, isEditor }: { tags: Props['item']['tags']; isEditor: boolean }) {
  if (tags.length === 0) {
    return (
      <span className={styles.tags}>
        <span className={styles.none}>No tags</span>
        {isEditor && <span className={styles.add}>Click to add tags</span>}
      </span>
    );
  }
  const { shown, more } = splitChips(tags, limits.tagChipsPerCard);
  return (
    <span className={`${styles.tags} ${styles.chips}`}>
      {shown.map((tag) => (
        <TagChip key={tag.id} tag={tag} />
      ))}
      {more > 0 && <span className={styles.more}>{`+${more}`}</span>}
    </span>
  );
}
