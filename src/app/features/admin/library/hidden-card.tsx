import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import type { HiddenVideo } from '#contract/entities/library.ts';
import { EntryRow } from '../entry-row.tsx';
import { Moment } from '../moment.tsx';
import shared from '../section.module.css';
import hidden from './hidden-card.module.css';
import styles from './library-section.module.css';
import { hiddenRefusal, hiddenVideos, showAgain } from './video-lists.ts';

/** Videos that nobody sees until they are shown again. */
export function HiddenCard() {
  const state = useSnapshot(hiddenVideos.state);
  const { sentence } = useSnapshot(hiddenRefusal);
  useEffect(() => hiddenVideos.open(), []);
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

/** The row names the video: without its still the place stays empty. */
function Poster({ url }: { url: string | null }) {
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <div className={hidden.poster}>
      {url !== null && url !== failed && (
        <img className={hidden.still} src={url} alt="" loading="lazy" decoding="async" onError={() => setFailed(url)} />
      )}
    </div>
  );
}
