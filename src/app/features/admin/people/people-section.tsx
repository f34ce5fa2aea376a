import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { Badge } from '#app/ui/badge.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { SearchField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { dayOf, nameOf } from '#app/ui/texts.ts';
import styles from './people-section.module.css';
import type { Person } from './people-store.ts';
import { isOwn, people, personPage, tierFilters } from './people-store.ts';
import { openPerson, resetPeople } from './person-forms.ts';
import { PersonPage, PersonPicture, PersonTier } from './person-page.tsx';

/** The list of all accounts, or the page of one person. */
export function PeopleSection() {
  const { user } = useSnapshot(personPage);
  useEffect(() => people.open(), []);
  useEffect(() => resetPeople, []);
  return user ? <PersonPage key={user.id} user={user} /> : <PeopleList />;
}

const columns: readonly Column<Person>[] = [
  { title: 'Name', inList: 'name', cell: (user) => <PersonName user={user} /> },
  { title: 'Email', inList: 'fact', cell: ({ email }) => <bdi className={styles.email}>{email}</bdi> },
  { title: 'Plan', inList: 'fact', cell: (user) => <PersonTier user={user} /> },
  {
    title: 'Joined',
    inList: 'nowhere',
    cell: ({ created_at }) => <span className={styles.day}>{dayOf(created_at)}</span>,
  },
];

/** Search, a filter by plan, and pages of people. */
function PeopleList() {
  const state = useSnapshot(people.state, { sync: true });
  const table = useReturnedFocus();
  const isNarrowed = state.search !== '' || state.filters.tier !== 'all';
  return (
    <>
      <div className={styles.tools}>
        <div className={styles.search}>
          <SearchField
            label="Search by name or email"
            value={state.search}
            onChange={(text) => people.typeSearch(text)}
            onApply={() => people.applySearch()}
            onClear={() => people.clearSearch()}
          />
        </div>
        <div className={styles.filter}>
          <Select
            label="Plan"
            isLabelHidden
            options={tierFilters}
            value={state.filters.tier}
            onChange={(tier) => people.filter({ tier })}
          />
        </div>
      </div>
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void people.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<Empty isNarrowed={isNarrowed} />}
      >
        <div ref={table} className={styles.table}>
          <Table
            label="People"
            columns={columns}
            rows={state.items}
            idOf={({ id }) => id}
            nameOf={({ username }) => username}
            isBusy={state.isLoading}
          />
        </div>
      </ListBody>
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => people.goTo(page)}
        note={`Showing ${state.items.length} of ${state.total ?? 0} people`}
      />
    </>
  );
}

function Empty({ isNarrowed }: { isNarrowed: boolean }) {
  return (
    <div className={styles.empty}>
      <h2>No users found</h2>
      <p>{isNarrowed ? 'Nobody matches the search and the plan.' : 'Nobody has an account yet.'}</p>
    </div>
  );
}

/** Moves the focus back to the person's row, if it still exists, when their page is closed. */
function useReturnedFocus() {
  const table = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { lastId } = personPage;
    const rows = table.current?.querySelectorAll<HTMLElement>('[data-person]') ?? [];
    const row = [...rows].find(({ dataset }) => dataset.person === lastId);
    if (row) focusOn(row);
  }, []);
  return table;
}

/** A button that opens the person's page. */
function PersonName({ user }: { user: Person }) {
  return (
    <button type="button" className={styles.open} data-person={user.id} onClick={() => openPerson(user.id)}>
      <PersonPicture user={user} className={styles.picture} />
      <bdi className={styles.name}>{nameOf(user)}</bdi>
      {isOwn(user) && (
        <span className={styles.own}>
          <Badge words="You" />
        </span>
      )}
    </button>
  );
}
