import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { isAmong, session } from '#app/state/session.ts';
import { IconButton } from '#app/ui/icon-button.tsx';
import { EmptyPart } from '#app/ui/list/empty-part.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { openTagDialog } from '../dialogs/tag-dialogs.ts';
import { openEdit } from '../dialogs/tag-forms.ts';
import { isUnsent, tags } from '../tags-store.ts';
import type { TagRow } from './tag-columns.tsx';
import { tagColumns } from './tag-columns.tsx';
import styles from './tag-list.module.css';

/** The table of a page, and the way to the others. */
export function TagList({ isEditor }: { isEditor: boolean }) {
  const state = useSnapshot(tags.state);
  const selection = {
    ids: state.selectedIds,
    onToggle: (id: string) => tags.toggle(id),
    onToggleAll: () => tags.toggleAll(),
  };
  return (
    <>
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void tags.reload()}
        onDismiss={() => tags.dismissFailure()}
        cachedAt={state.cachedAt}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<Empty isSearched={state.search.trim() !== ''} />}
      >
        <div className={styles.table}>
          <Table
            label="Tags"
            columns={tagColumns}
            rows={state.items}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            isBusy={state.isLoading}
            {...(isEditor && { selection, actions: (tag: TagRow) => <Actions tag={tag} /> })}
          />
        </div>
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => tags.goTo(page)}
        note={`Showing ${state.items.length} of ${(state.total ?? 0).toLocaleString()} tags`}
      />
    </>
  );
}

function Empty({ isSearched }: { isSearched: boolean }) {
  return (
    <EmptyPart
      heading="No Tags Found"
      sentence={isSearched ? 'Clear the search to see all of them.' : 'Create your first tag to get started'}
    />
  );
}

function Actions({ tag }: { tag: TagRow }) {
  const isAdmin = isAmong(useSnapshot(session).user, 'admin');
  const { isReachable } = useSnapshot(connection);
  const isDisabled = isUnsent(tag);
  const { id, name } = tag;
  return (
    <>
      <IconButton
        label={`Edit ${name}`}
        icon={<Pencil aria-hidden="true" />}
        isDisabled={isDisabled}
        onPress={() => openEdit(tag)}
      />
      <IconButton
        className={isAdmin ? styles.roomy : ''}
        label={`Delete ${name}`}
        icon={<Trash2 aria-hidden="true" />}
        isDisabled={isDisabled}
        onPress={() => openTagDialog({ kind: 'delete', tag: { id, name } })}
      />
      {isAdmin && (
        <IconButton
          label={`More for ${name}`}
          icon={<Ellipsis aria-hidden="true" />}
          isDisabled={isDisabled || !isReachable}
          onPress={() => openTagDialog({ kind: 'more', tag: { id, name } })}
        />
      )}
    </>
  );
}
