import { Check, Play } from 'lucide-react';
import type { MouseEvent } from 'react';
import { memo, useEffect, useSyncExternalStore } from 'react';
import type { Snapshot } from 'valtio';
import { snapshot, subscribe, useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { IconButton } from '#app/ui/button.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { CardStills } from '#app/ui/media/card-stills.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { EmptyPart } from '#app/ui/page.tsx';
import { useLongPress } from '#app/ui/presses.ts';
import { megabytesText } from '#app/ui/texts.ts';
import { limits } from '#contract/limits.ts';
import { isUntagged } from '#contract/rules/tag.ts';
import { splitChips } from '#contract/rules/tag-filter.ts';
import { TagChip } from './tag-panel.tsx';
import { cancelAwaitedUntagged, focusFirstCard, goToAwaitedUntagged } from './tagging-keys.tsx';
import {
  goToPage,
  playListed,
  pressVideo,
  selectTo,
  startSelecting,
  tagging,
  toggleSelected,
} from './tagging-store.ts';
import styles from './video-grid.module.css';
import type { TaggingVideo } from './videos-store.ts';
import { taggingVideos } from './videos-store.ts';

/**
 * The videos of a page as cards, and the pagination. Arrow keys move between cards on every screen.
 */
export function VideoGrid({ isEditor }: { isEditor: boolean }) {
  const state = useSnapshot(taggingVideos.state);
  const { chosenId } = useSnapshot(tagging);
  const { selectedIds, isLoading } = state;
  const items = useSyncExternalStore(listenToVideos, readItems);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is called for each page that has come
  useEffect(goToAwaitedUntagged, [items, isLoading]);
  useEffect(() => cancelAwaitedUntagged, []);
  const hasCards = items.length > 0;
  useEffect(() => {
    if (hasCards) focusFirstCard();
  }, [hasCards]);
  const arrows = currentForm() === 'tv' ? {} : { 'data-arrows': true, 'data-focus-level': true };
  return (
    <>
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void taggingVideos.reload()}
        onDismiss={() => taggingVideos.dismissFailure()}
        skeleton={<Waiting />}
        empty={<Empty />}
      >
        <ul
          className={styles.cards}
          aria-label="Videos"
          aria-busy={isLoading}
          data-focus-region
          data-focus-first
          {...arrows}
        >
          {items.map((item) => (
            <VideoCard
              key={item.video.id}
              item={item}
              isChosen={selectedIds.length === 0 && item.video.id === chosenId}
              isSelected={selectedIds.includes(item.video.id)}
              isEditor={isEditor}
            />
          ))}
        </ul>
      </ListBody>
      <Pagination kind="numbered" page={state.page} lastPage={state.lastPage} onGo={goToPage} />
    </>
  );
}

const listenToVideos = (listener: () => void) => subscribe(taggingVideos.state, listener);

/**
 * An item that has not changed is the same object as before, so that its card is not drawn again.
 */
const readItems = () => snapshot(taggingVideos.state).items;

/** The skeleton of the cards. */
function Waiting() {
  return (
    <div className={styles.cards}>
      {Array.from({ length: limits.taggingVideosPerPage / 2 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={at} className={styles.skeleton} />
      ))}
    </div>
  );
}

function Empty() {
  const { search, filters } = useSnapshot(taggingVideos.state);
  return <EmptyPart heading="No Videos Found" sentence={emptyLine(search.trim() !== '', filters.isUntaggedOnly)} />;
}

function emptyLine(isSearched: boolean, isUntaggedOnly: boolean): string {
  if (isSearched) return 'Clear the search to see all of them.';
  return isUntaggedOnly ? 'All videos have tags.' : 'Videos are listed here once the library has some.';
}

interface Props {
  item: Snapshot<TaggingVideo>;
  isChosen: boolean;
  isSelected: boolean;
  isEditor: boolean;
}

/** A video with its tags. A press shows it in the panel; Shift or a long press selects it. */
const VideoCard = memo(function VideoCard({ item: { video, tags }, isChosen, isSelected, isEditor }: Props) {
  const { id, title, size, url, poster_url, storyboard, duration, available, message } = video;
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
          <bdi className={styles.name}>{title}</bdi>
          <span className={styles.size}>{megabytesText(size)}</span>
        </span>
        <CardTags tags={tags} isEditor={isEditor} />
      </button>
      {/* A focus level of its own, so that arrow keys move from card to card. */}
      <span className={styles.over} data-focus-level>
        <IconButton
          className={styles.play}
          label={`Play ${title}`}
          icon={<Play aria-hidden="true" />}
          onPress={() => void playListed(video)}
        />
      </span>
    </li>
  );
});

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
