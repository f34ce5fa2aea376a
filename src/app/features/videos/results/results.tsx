import { useSnapshot } from 'valtio';
import { Select } from '#app/ui/form/select.tsx';
import { EmptyPart } from '#app/ui/list/empty-part.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { limits } from '#contract/limits.ts';
import { browse, channels, isAsked, newestAction, sortVideos, videos } from '../browse-store.ts';
import { play } from '../player/player-store.ts';
import styles from './results.module.css';
import { VideoCardButton } from './video-card-button.tsx';

const sorts = [
  { value: 'newest', label: 'Newest' },
  { value: 'name', label: 'Name' },
] as const;

/** The videos that are asked for as cards, in pages (§2 Videos). */
export function Results() {
  const list = useSnapshot(videos.state);
  const { chosen, isNewest, sortBy } = useSnapshot(browse);
  const { total: channelCount, search } = useSnapshot(channels.state);
  if (!isAsked(chosen, isNewest, list.search)) {
    if (channelCount === 0 && search === '') return null;
    return (
      <EmptyPart
        heading="Select Channels to Browse"
        sentence="Their videos are listed here, from any of the channels."
        action={newestAction}
      />
    );
  }
  const { items, total, failure, page, lastPage, isLoading, cachedAt } = list;
  return (
    <section aria-label="Videos" aria-busy={isLoading}>
      <div className={styles.head}>
        <h2 className={styles.names}>
          {chosen.map(({ name }) => name).join(', ') ||
            (isNewest && sortBy === 'newest' ? 'Newest videos' : 'All channels')}
        </h2>
        {total !== null && (
          <p role="status" className={styles.count}>{`${total} ${total === 1 ? 'video' : 'videos'}`}</p>
        )}
        <div className={styles.sort}>
          <Select label="Sort by" isLabelHidden options={sorts} value={sortBy} onChange={sortVideos} />
        </div>
      </div>
      <ListBody
        face={faceOf(list)}
        failure={failure}
        cachedAt={cachedAt}
        onRetry={() => void videos.reload()}
        skeleton={<Waiting />}
        empty={<EmptyPart heading="No Videos Found" sentence="No video that can be played matches." />}
      >
        <ul className={styles.cards} data-focus-region>
          {items.map((video) => (
            <li key={video.id}>
              <VideoCardButton
                video={video}
                onPress={() => void play({ ...video, tags: [...video.tags], renditions: [...video.renditions] })}
              />
            </li>
          ))}
        </ul>
      </ListBody>
      <Pagination page={page} lastPage={lastPage} onGo={(next) => videos.goTo(next)} />
    </section>
  );
}

/** In the shape of the cards. */
function Waiting() {
  return (
    <div className={styles.cards}>
      {Array.from({ length: limits.videosPerPage / 2 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={at} className={styles.skeleton} />
      ))}
    </div>
  );
}
