import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { endLocalSession } from '#app/state/account.ts';
import { removeAllSaved } from '#app/state/saved/saved-session.ts';
import { session } from '#app/state/session.ts';
import { lateTeller, readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { deleteUser, endUserSessions, listUsers } from '#contract/endpoints.ts';
import type { ManagedUser, User } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { after } from '#device/timers.ts';

/** The fields of a user that this section shows. */
export type Person = Pick<
  User,
  | 'id'
  | 'username'
  | 'email'
  | 'display_name'
  | 'avatar_url'
  | 'has_password'
  | 'subscription_tier'
  | 'effective_tier'
  | 'subscription_expires_at'
  | 'created_at'
>;

type TierFilter = Tier | 'all';

export const tierFilters: readonly { value: TierFilter; label: string }[] = [
  { value: 'all', label: 'All plans' },
  ...tiers.map((tier) => ({ value: tier, label: tierBadges[tier] })),
];

/** All accounts, by name. */
export const people = createPagedList<Person, { tier: TierFilter }>({
  limit: limits.usersPerPage,
  filters: { tier: 'all' },
  load: async ({ page, search, filters: { tier } }, signal) => {
    const query = { page, ...(search !== '' && { search }), ...(tier !== 'all' && { tier }) };
    const { users, total } = await call(listUsers, { query, signal });
    return { items: users, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadPeople,
});

/** The cards of the page that show the outcome of a change. */
export type PersonCard = 'plan' | 'details' | 'password' | 'account';

interface PersonNotice {
  card: PersonCard;
  kind: 'ok' | 'danger';
  sentence: string;
}

interface PersonPageState {
  /** The person whose page is open, with unconfirmed changes applied. Null: the list is shown. */
  user: Person | null;
  /** Id of the person whose page was open last. Their row gets the focus back. */
  lastId: string | null;
  /** The outcome of the last change: a success for 3 s, a failure until the next change. */
  notice: PersonNotice | null;
  /**
   * Whether sessions are being ended or the account is being deleted. Other presses are ignored
   * meanwhile.
   */
  isBusy: boolean;
}

const closed = { user: null, notice: null, isBusy: false };

export const personPage = proxy<PersonPageState>({ ...closed, lastId: null });

let cancelFading = () => {};

export function showPerson(user: Person): void {
  Object.assign(personPage, { ...closed, user, lastId: user.id });
}

export function closePerson(): void {
  clearPersonNotice();
  Object.assign(personPage, closed);
}

export function isOwn({ id }: Pick<Person, 'id'>): boolean {
  return session.user?.id === id;
}

/**
 * Applies a change to the page and the list at once, and rolls it back when the call fails.
 * @throws what the call throws
 */
export async function changePerson(changes: Partial<Person>, send: () => Promise<ManagedUser>): Promise<void> {
  const before = personPage.user;
  if (before === null) return;
  clearPersonNotice();
  const { id } = before;
  apply(id, changes);
  try {
    await people.change(
      (items) => items.map((item) => (item.id === id ? { ...item, ...changes } : item)),
      async () => apply(id, (await send()).user),
    );
  } catch (error) {
    apply(id, sameFieldsOf(before, changes));
    throw error;
  }
}

export async function endSessionsOf({ id }: Pick<Person, 'id'>): Promise<void> {
  await act(id, async () => {
    await call(endUserSessions, { params: { id } });
    if (isOwn({ id })) await endOwnSession();
    else showPersonSuccess(id, 'account', 'All sessions ended.');
  });
}

/** Removes the row at once, and restores it when the server refuses. */
export async function deletePerson({ id }: Pick<Person, 'id'>): Promise<void> {
  await act(id, async () => {
    await people.remove(id, () => call(deleteUser, { params: { id } }));
    if (isOpen(id)) closePerson();
  });
}

/** Saved videos leave this device, as when people sign out in Profile. */
async function endOwnSession(): Promise<void> {
  await removeAllSaved();
  await endLocalSession();
}

/** Shows a success, unless another page has been opened since the request. */
export function showPersonSuccess(id: string, card: PersonCard, sentence: string): void {
  if (!isOpen(id)) return;
  show({ card, kind: 'ok', sentence });
  cancelFading = after(limits.successMessageSeconds * 1000, clearPersonNotice);
}

function clearPersonNotice(): void {
  show(null);
}

/** Acts on the person of the open page. A success that comes after it was left is not shown. */
async function act(id: string, run: () => Promise<void>): Promise<void> {
  if (personPage.isBusy) return;
  clearPersonNotice();
  personPage.isBusy = true;
  const tellLate = lateTeller();
  try {
    await run();
  } catch (error) {
    if (isOpen(id)) show({ card: 'account', kind: 'danger', sentence: readRefusal(error) });
    else tellLate(failures.changeAccount(error));
  } finally {
    if (isOpen(id)) personPage.isBusy = false;
  }
}

/** Whether this person's page is still open when a call about them is answered. */
function isOpen(id: string): boolean {
  return personPage.user?.id === id;
}

function show(notice: PersonNotice | null): void {
  cancelFading();
  personPage.notice = notice;
}

/** Applies changes unless another page has been opened since the request. */
function apply(id: string, changes: Partial<Person>): void {
  if (personPage.user?.id === id) personPage.user = { ...personPage.user, ...changes };
}

function sameFieldsOf(user: Person, changes: Partial<Person>): Partial<Person> {
  const fields: Partial<Person> = {};
  for (const name of Object.keys(changes) as (keyof Person)[]) Object.assign(fields, { [name]: user[name] });
  return fields;
}
