import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { callCached } from '#app/platform/http/call-cached.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { isBlocked, onBlocklistChange, onUserChange } from '#app/state/session.ts';
import { titleChanged } from '#app/state/view-requests.ts';
import { watchedForgotten, watchedLog } from '#app/state/watched-log.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Preview } from '#app/ui/media/preview.tsx';
import { EmptyPart } from '#app/ui/page.tsx';
import { usePresses } from '#app/ui/presses.ts';
import { agoText } from '#app/ui/texts.ts';
import { listWatched } from '#contract/endpoints.ts';
import type { WatchedVideo } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { clockText } from '#contract/rules/text.ts';
import { now } from '#device/timers.ts';
import { openPlaces, play } from './video-player.tsx';
import styles from './watched-tab.module.css';

const watched = createPagedList<WatchedVideo, Record<never, never>>({
  limit: limits.watchedPerPage,
  filters: {},
  load: async ({ page }, signal) => {
    // The list includes videos that were shown a moment ago.
    if (page === 1) await watchedLog.report();
    const { reply, cachedAt } = await callCached(listWatched, { page, limit: limits.watchedPerPage }, signal);
    // A cached page may be older than the blocklist.
    const items = reply.watched.filter(({ video }) => !isBlocked({ tagIds: video.tags.map(({ id }) => id) }));
    return { items, total: items.length === 0 ? 0 : reply.total, cachedAt };
  },
  idOf: ({ video }) => video.id,
  toSentence: failures.loadWatched,
});

/** §2 Videos: what the viewer has watched, the latest first. */
export function WatchedTab() {
  const list = useSnapshot(watched.state);
  useEffect(openWatchedList, []);
  const { items, failure, page, lastPage, isLoading, cachedAt } = list;
  return (
    <section className={styles.tab} aria-label="Watched" aria-busy={isLoading}>
      <ListBody
        face={faceOf(list)}
        failure={failure}
        cachedAt={cachedAt}
        onRetry={() => void watched.reload()}
        retryLabel="Try again"
        skeleton={<Waiting />}
        empty={<EmptyPart sentence="Nothing yet. What plays in the feed is listed here." />}
        offline="Needs a connection"
      >
        <ul className={styles.rows} data-focus-region>
          {items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a video may be listed several times
            <li key={`${item.video.id} ${at}`}>
              <WatchedRow item={item} />
            </li>
          ))}
        </ul>
      </ListBody>
      <Pagination page={page} lastPage={lastPage} onGo={(next) => watched.goTo(next)} />
    </section>
  );
}

function openWatchedList(): () => void {
  const reload = () => void watched.open();
  const stops = [
    watched.open(),
    watchedForgotten.listen(reload),
    onUserChange(reload),
    onBlocklistChange(reload),
    // The counter changes when a video is hidden, which is then not listed.
    changedOnServer.tags.listen(() => void watched.reload()),
    titleChanged.listen(({ id, title }) =>
      watched.update((items) =>
        items.map((item) => (item.video.id === id ? { ...item, video: { ...item.video, title } } : item)),
      ),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A press plays the video, its menu plays it in a quadrant. */
function WatchedRow({ item: { video, watched_at } }: { item: Snapshot<WatchedVideo> }) {
  const { title, filename, url, poster_url, duration, available, message } = video;
  const card = { ...video, tags: [...video.tags], renditions: [...video.renditions] };
  const presses = usePresses({ onPress: () => void play(card), onMenu: () => openPlaces(card) });
  return (
    <button type="button" className={styles.row} {...presses}>
      <span className={styles.still}>
        <Preview url={url} posterUrl={poster_url} failedText="" message={available ? null : message} />
      </span>
      <span className={styles.words}>
        <bdi className={styles.name}>{title ?? filename}</bdi>
        <span className={styles.when}>{watchedText(watched_at, now())}</span>
      </span>
      {available && duration !== null && <span className={styles.length}>{clockText(duration)}</span>}
    </button>
  );
}

/** Formats when something was watched: '12 minutes ago', 'yesterday'. */
function watchedText(time: string, at: number): string {
  const words = agoText(time, at);
  return words === '1 day ago' ? 'yesterday' : words;
}

/** The skeleton of the rows. */
function Waiting() {
  return (
    <div className={styles.rows}>
      {Array.from({ length: limits.watchedPerPage / 4 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={at} className={styles.skeleton} />
      ))}
    </div>
  );
}
