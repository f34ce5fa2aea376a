import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import type { Tag } from '#contract/entities/tag.ts';
import { notices } from '#contract/notices.ts';
import { nameKey } from '#contract/rules/text.ts';
import { Button } from '../button.tsx';
import { FieldNote, SearchField } from '../form/text-field.tsx';
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
  /** Creates a channel of the typed name, where the viewer may. */
  creation?: Creation;
  empty: (isSearched: boolean) => string;
  className?: string;
  /** Renders the row of one tag. */
  children: (tag: Snapshot<Tag>) => ReactNode;
}

/** The state of a creation, and the action that creates a channel of the typed name. */
interface Creation {
  state: { isBusy: boolean; outcome: { name: string; tagId: string | null; sentence: string } | null };
  onCreate: () => void;
}

/** A list of tags to choose from: the first ones by name, and a search for the others. */
export function TagChoices({ list, noun, searchLabel, creation, empty, className, children }: Props) {
  const state = useSnapshot(list.state, { sync: true });
  const { items, total, search } = state;
  return (
    <>
      <SearchField
        label={searchLabel}
        value={search}
        onChange={(text) => list.typeSearch(text)}
        onApply={() => list.applySearch()}
        onClear={() => list.clearSearch()}
      />
      {creation && <NewChannel {...creation} name={search.trim()} isNew={isNewName(state)} />}
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
            <li key={tag.id} data-tag={tag.id}>
              {children(tag)}
            </li>
          ))}
        </ul>
        {total !== null && total > items.length && (
          <p className={styles.rest}>
            {`Showing ${items.length} of ${total.toLocaleString()} ${noun}. The search finds the others.`}
          </p>
        )}
      </ListBody>
    </>
  );
}

/**
 * Whether no channel has the typed name. It is known once the list answers that text; without a
 * network the channels of this device count.
 */
function isNewName({ items, search, appliedSearch, isLoading, failure }: Snapshot<Props['list']['state']>): boolean {
  const name = search.trim();
  if (name === '' || name !== appliedSearch || isLoading || failure !== null) return false;
  const key = nameKey(name);
  return !items.some((tag) => [tag.name, ...tag.aliases].some((one) => nameKey(one) === key));
}

/** The entry that creates a channel of the typed name, and what became of it. */
function NewChannel({ state, onCreate, name, isNew }: Creation & { name: string; isNew: boolean }) {
  const { isBusy, outcome } = useSnapshot(state);
  const note = useRef<HTMLParagraphElement>(null);
  const own = outcome?.name === name ? outcome : null;
  const createdId = own?.tagId ?? null;
  // The entry has gone with the focus, which goes on to the new row.
  useEffect(() => {
    const rows = createdId === null ? [] : (note.current?.parentElement?.querySelectorAll('[data-tag]') ?? []);
    const row = Array.from(rows).find((one) => one.getAttribute('data-tag') === createdId);
    row?.querySelector('input')?.focus();
  }, [createdId]);
  return (
    <>
      {isNew && (
        <div className={styles.creation}>
          <Button
            kind="tonal"
            isBlock
            icon={<Plus aria-hidden="true" />}
            label={isBusy ? 'Creating...' : `Create "${name}"`}
            onPress={onCreate}
          />
        </div>
      )}
      {own !== null && createdId === null && <FieldNote id="creation-note" problem={own.sentence} />}
      <p ref={note} role="status" className={createdId === null ? 'visually-hidden' : styles.created}>
        {createdId === null ? isNew && notices.channelIsNew(name) : own?.sentence}
      </p>
    </>
  );
}
