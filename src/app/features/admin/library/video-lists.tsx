import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { countText, sizeText } from '#app/ui/texts.ts';
import { listHiddenVideos, listUnplayableVideos, showVideo } from '#contract/endpoints.ts';
import type { HiddenVideo, UnplayableVideo } from '#contract/entities/library.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import shared from '../section.module.css';
import { EntryRow, Moment } from '../section-parts.tsx';
import styles from './library-section.module.css';
import { library } from './library-store.ts';
import hidden from './video-lists.module.css';

/** Hidden videos, each with a button to show it again. */
export function HiddenCard() {
  const state = useSnapshot(hiddenVideos.state);
  const { sentence } = useSnapshot(hiddenRefusal);
  useEffect(openHidden, []);
  return (
    <Card title="Hidden videos">
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void hiddenVideos.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<p className={shared.empty}>No video is hidden. A video is hidden from its menu in the feed.</p>}
      >
        <ul aria-label="Hidden videos" aria-busy={state.isLoading}>
          {state.items.map((video) => (
            <HiddenRow key={video.id} video={video} />
          ))}
        </ul>
      </ListBody>
      <Notice notice={sentence === null ? null : { kind: 'danger', sentence }} />
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => hiddenVideos.goTo(page)}
        note={countText(state.total ?? 0, 'video')}
      />
    </Card>
  );
}

function HiddenRow({ video: { id, root, path, poster_url, hidden_at, hidden_by } }: { video: HiddenVideo }) {
  const { isReachable } = useSnapshot(connection);
  return (
    <EntryRow
      poster={<Poster url={poster_url} />}
      label={<bdi>{path}</bdi>}
      actions={
        <Button
          kind="line"
          label="Show again"
          name={`Show again ${path}`}
          isDisabled={!isReachable}
          onPress={() => void showAgain(id)}
        />
      }
    >
      <p>
        <bdi>{root}</bdi>
      </p>
      <p>
        Hidden <Moment time={hidden_at} /> by {hidden_by === null ? 'a deleted account' : <bdi>{hidden_by}</bdi>}
      </p>
    </EntryRow>
  );
}

/** The poster of a video. Without one the area stays empty, because the row shows the name. */
export function Poster({ url }: { url: string | null }) {
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <div className={hidden.poster}>
      {url !== null && url !== failed && (
        <img className={hidden.still} src={url} alt="" loading="lazy" decoding="async" onError={() => setFailed(url)} />
      )}
    </div>
  );
}

/** Files in the folders that cannot be played, each with the reason. */
export function UnplayableCard() {
  const state = useSnapshot(unplayableVideos.state, { sync: true });
  useEffect(() => unplayableVideos.open(), []);
  const hasFilter = state.search.trim() !== '';
  return (
    <Card title="Cannot be played">
      <div className={styles.search}>
        <SearchField
          label="Search by path"
          value={state.search}
          onChange={(text) => unplayableVideos.typeSearch(text)}
          onApply={() => unplayableVideos.applySearch()}
          onClear={() => unplayableVideos.clearSearch()}
        />
      </div>
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void unplayableVideos.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={
          <p className={shared.empty}>
            {hasFilter ? 'Nothing matches your search.' : 'Everything that was found can be played.'}
          </p>
        }
      >
        <ul aria-label="Cannot be played" aria-busy={state.isLoading}>
          {state.items.map(({ id, root, path, size, reason }) => (
            <EntryRow key={id} label={<bdi>{path}</bdi>}>
              <p>{reason}</p>
              <p>
                <bdi>{root}</bdi>, {sizeText(size)}
              </p>
            </EntryRow>
          ))}
        </ul>
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => unplayableVideos.goTo(page)}
        note={countText(state.total ?? 0, 'file')}
      />
    </Card>
  );
}

const limit = limits.videosPerPage;

/** Files that exist but cannot be played. */
const unplayableVideos = createPagedList<UnplayableVideo, object>({
  limit,
  filters: {},
  load: async ({ page, search }, signal) => {
    const { videos, total } = await call(listUnplayableVideos, { query: { page, limit, search }, signal });
    return { items: videos, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadVideos,
});

export const hiddenVideos = createPagedList<HiddenVideo, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const { videos, total } = await call(listHiddenVideos, { query: { page, limit }, signal });
    return { items: videos, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadVideos,
});

/** Why a video could not be shown again. */
export const hiddenRefusal = proxy<{ sentence: string | null }>({ sentence: null });

/** Opens the list. Returns a function that closes it. */
function openHidden(): () => void {
  hiddenRefusal.sentence = null;
  return hiddenVideos.open();
}

export async function showAgain(id: string): Promise<void> {
  hiddenRefusal.sentence = null;
  try {
    await hiddenVideos.change(
      (items) => items.filter((item) => item.id !== id),
      () => call(showVideo, { params: { id } }),
    );
    void library.reload();
  } catch (error) {
    hiddenRefusal.sentence = readRefusal(error);
  }
}
