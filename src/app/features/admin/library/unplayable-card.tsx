import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { countText } from '#app/ui/count-text.ts';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { EntryRow } from '../entry-row.tsx';
import shared from '../section.module.css';
import styles from './library-section.module.css';
import { unplayableVideos } from './video-lists.ts';

/** What is in the folders and cannot be played, with the reason. */
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
