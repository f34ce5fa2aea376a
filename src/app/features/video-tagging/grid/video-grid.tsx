import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { EmptyPart } from '#app/ui/list/empty-part.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { limits } from '#contract/limits.ts';
import { cancelAwaitedUntagged, goToAwaitedUntagged } from '../keys/next-untagged.ts';
import { tagging } from '../tagging-store.ts';
import { videos } from '../videos-store.ts';
import { focusFirstCard } from './card-focus.ts';
import { VideoCard } from './video-card.tsx';
import styles from './video-grid.module.css';

/** The videos of a page as cards, and the way to the others. Arrows lead from card to card on every screen. */
export function VideoGrid({ isEditor }: { isEditor: boolean }) {
  const state = useSnapshot(videos.state);
  const { chosenId } = useSnapshot(tagging);
  const { items, selectedIds, isLoading } = state;
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
        onRetry={() => void videos.reload()}
        onDismiss={() => videos.dismissFailure()}
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
      <Pagination kind="numbered" page={state.page} lastPage={state.lastPage} onGo={(page) => videos.goTo(page)} />
    </>
  );
}

/** In the shape of the cards. */
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
  const { search, filters } = useSnapshot(videos.state);
  return <EmptyPart heading="No Videos Found" sentence={emptyLine(search.trim() !== '', filters.isUntaggedOnly)} />;
}

function emptyLine(isSearched: boolean, isUntaggedOnly: boolean): string {
  if (isSearched) return 'Clear the search to see all of them.';
  return isUntaggedOnly ? 'All videos have tags.' : 'Videos are listed here once the library has some.';
}
