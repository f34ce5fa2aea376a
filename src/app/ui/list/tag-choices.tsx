import type { ReactNode } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import type { Tag } from '#contract/entities/tag.ts';
import { SearchField } from '../form/text-field.tsx';
import { Skeleton } from '../loading.tsx';
import { ListBody } from './list-body.tsx';
import { faceOf } from './list-state.ts';
import type { createPagedList } from './paged-list.ts';
import styles from './tag-choices.module.css';

interface Props {
  list: ReturnType<typeof createPagedList<Tag, object>>;
  /** The word for tags on this screen. */
  noun: 'channels' | 'tags';
  searchLabel: string;
  /** The search field is shown only above this number of tags; when omitted, always. */
  maxWithoutSearch?: number;
  empty: (isSearched: boolean) => string;
  className?: string;
  /** Renders the row of one tag. */
  children: (tag: Snapshot<Tag>) => ReactNode;
}

/** A list of tags to choose from: the first ones by name, and a search for the others. */
export function TagChoices({ list, noun, searchLabel, maxWithoutSearch = 0, empty, className, children }: Props) {
  const state = useSnapshot(list.state, { sync: true });
  const { items, total, search } = state;
  return (
    <>
      {(search !== '' || maxWithoutSearch === 0 || (total ?? 0) > maxWithoutSearch) && (
        <SearchField
          label={searchLabel}
          value={search}
          onChange={(text) => list.typeSearch(text)}
          onApply={() => list.applySearch()}
          onClear={() => list.clearSearch()}
        />
      )}
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        cachedAt={state.cachedAt}
        onRetry={() => void list.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<p className={styles.empty}>{empty(search.trim() !== '')}</p>}
      >
        <ul className={`${styles.list} ${className ?? ''}`} data-focus-region>
          {items.map((tag) => (
            <li key={tag.id}>{children(tag)}</li>
          ))}
        </ul>
        {total !== null && total > items.length && (
          <p className={styles.rest}>{`Showing ${items.length} of ${total} ${noun}. The search finds the others.`}</p>
        )}
      </ListBody>
    </>
  );
}
