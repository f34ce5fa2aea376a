import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { PeopleList } from './people-list.tsx';
import { people } from './people-store.ts';
import { resetPeople } from './person-forms.ts';
import { PersonPage } from './person-page.tsx';
import { personPage } from './person-store.ts';

/** Everybody with an account, or the page of one of them. */
export function PeopleSection() {
  const { user } = useSnapshot(personPage);
  useEffect(() => people.open(), []);
  useEffect(() => resetPeople, []);
  return user ? <PersonPage key={user.id} user={user} /> : <PeopleList />;
}
