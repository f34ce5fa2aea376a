import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { isAmong, session } from '#app/state/session.ts';
import { Badge, Swatch } from '#app/ui/badge.tsx';
import { IconButton } from '#app/ui/button.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { EmptyPart } from '#app/ui/page.tsx';
import { countText, dayOf } from '#app/ui/texts.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { audienceLabels } from '#contract/rules/tag.ts';
import { openEdit, openTagDialog } from './tag-forms.ts';
import styles from './tag-list.module.css';
import { isUnsentTag, tags } from './tags-store.ts';

/** The table of a page, and the pagination. */
export function TagTable({ isEditor }: { isEditor: boolean }) {
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
  const isDisabled = isUnsentTag(tag);
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

type TagRow = Snapshot<Tag>;

/**
 * Columns of the table. In the narrow list the name includes its swatch, and the number of videos
 * includes the description.
 */
const tagColumns: readonly Column<TagRow>[] = [
  { title: 'Name', inList: 'name', cell: (tag) => <Name tag={tag} /> },
  {
    title: 'Description',
    inList: 'nowhere',
    cell: ({ description }) =>
      description === '' ? (
        <span className={styles.none}>{noDescription}</span>
      ) : (
        <bdi className={styles.description}>{description}</bdi>
      ),
  },
  {
    title: 'Color',
    inList: 'nowhere',
    cell: ({ color }) => (
      <span className={styles.color}>
        <Swatch color={color} />
        <span className={styles.value}>{color}</span>
      </span>
    ),
  },
  { title: 'Videos', inList: 'fact', isNumber: true, cell: (tag) => <Videos tag={tag} /> },
  {
    title: 'Created',
    inList: 'nowhere',
    cell: ({ created_at }) => <span className={styles.day}>{dayOf(created_at)}</span>,
  },
];

const noDescription = 'No description';

function Name({ tag: { name, color, aliases, audience } }: { tag: TagRow }) {
  return (
    <span className={styles.names}>
      <span className={styles.line}>
        <span className={styles.mark}>
          <Swatch color={color} />
        </span>
        <bdi>{name}</bdi>
        {audience && (
          <span className={styles.audience}>
            <Badge words={audienceLabels[audience]} />
          </span>
        )}
      </span>
      {aliases.length > 0 && (
        <span className={styles.aliases}>
          Also <bdi>{aliases.join(', ')}</bdi>
        </span>
      )}
    </span>
  );
}

function Videos({ tag: { video_count, description } }: { tag: TagRow }) {
  return (
    <>
      <span className={styles.wide}>{video_count.toLocaleString()}</span>
      <span className={`${styles.narrow} ${styles.facts}`}>
        {countText(video_count, 'video')}, <bdi>{description || noDescription}</bdi>
      </span>
    </>
  );
}
