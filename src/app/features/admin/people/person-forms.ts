import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { createForm, readProblems } from '#app/ui/form/form.ts';
import { updateSubscription, updateUser } from '#contract/endpoints.ts';
import { failures } from '#contract/failures.ts';
import { checkDisplayName, checkEmail, checkNewPassword, checkOwnNames } from '#contract/rules/credentials.ts';
import { checkLastDay } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { now } from '#device/timers.ts';
import { dayText } from '../../../ui/texts.ts';
import type { Person } from './people-store.ts';
import { changePerson, closePerson, people, personPage, showPerson, showPersonSuccess } from './people-store.ts';

/** `end` is `never`, `day` (the day of the date field) or a number of days from now. */
export const planForm = createForm({
  empty: { tier: 'basic', end: 'never', expires_at: '' },
  check: ({ tier, end, expires_at }) => ({
    expires_at: tier !== 'basic' && end === 'day' ? checkLastDay(expires_at, dayText(new Date(now()))) : null,
  }),
  send: async ({ tier, end, expires_at }) => {
    const plan = { tier: tier as Tier, expires_at: expiryOf(tier as Tier, end, expires_at) };
    const id = await changeUser(planChanges(plan), (one) =>
      call(updateSubscription, { params: { id: one }, body: plan }),
    );
    showPersonSuccess(id, 'plan', 'Plan changed.');
  },
  toProblems: (error) => (isConflict(error) ? { tier: error.message } : readProblems(error)),
  toLateSentence: failures.changeAccount,
});

export const detailsForm = createForm({
  empty: { display_name: '', email: '' },
  check: ({ display_name, email }) => ({ display_name: checkDisplayName(display_name), email: checkEmail(email) }),
  send: async (_, _signal, { display_name, email }) => {
    const changes = {
      ...(display_name !== undefined && { display_name: display_name.trim() || null }),
      ...(email !== undefined && { email: email.trim() }),
    };
    const id = await changeUser(changes, (one) => call(updateUser, { params: { id: one }, body: changes }));
    showPersonSuccess(id, 'details', 'Name and email changed.');
  },
  toLateSentence: failures.changeAccount,
});

export const newPasswordForm = createForm({
  empty: { new_password: '' },
  check: ({ new_password }) => ({
    new_password: checkNewPassword(new_password) ?? (personPage.user && checkOwnNames(new_password, personPage.user)),
  }),
  send: async ({ new_password }, signal) => {
    const id = await changeUser({ has_password: true }, (one) =>
      call(updateUser, { params: { id: one }, body: { new_password } }),
    );
    if (!signal.aborted) newPasswordForm.reset();
    showPersonSuccess(id, 'password', 'Password set. They are signed out everywhere.');
  },
  toLateSentence: failures.changeAccount,
});

/** Opens the page of a listed person and fills in its forms. */
export function openPerson(id: string): void {
  const user = people.state.items.find((one) => one.id === id);
  if (!user) return;
  const { subscription_tier: tier, subscription_expires_at: expiresAt, display_name, email } = user;
  showPerson({ ...user });
  planForm.reset({
    tier,
    end: expiresAt === null ? 'never' : 'day',
    expires_at: expiresAt === null ? '' : dayText(new Date(expiresAt)),
  });
  detailsForm.reset({ display_name: display_name ?? '', email });
  newPasswordForm.reset();
}

/** Returns to the list and clears the forms. */
export function leavePerson(): void {
  closePerson();
  for (const form of [planForm, detailsForm, newPasswordForm]) form.reset();
}

export function resetPeople(): void {
  leavePerson();
  personPage.lastId = null;
}

/** @returns id of the person whose page was open */
async function changeUser(
  changes: Partial<Person>,
  send: (id: string) => ReturnType<Parameters<typeof changePerson>[1]>,
): Promise<string> {
  const { id = '' } = personPage.user ?? {};
  if (id !== '') await changePerson(changes, () => send(id));
  return id;
}

/** The end of a plan as ISO text. The basic plan has none. */
function expiryOf(tier: Tier, end: string, day: string): string | null {
  if (tier === 'basic' || end === 'never') return null;
  return (end === 'day' ? endOfDay(day) : endOfDayIn(Number(end), now())).toISOString();
}

/**
 * The expected fields after the change. A requested end lies in the future, so the tier is in
 * effect.
 */
function planChanges({ tier, expires_at }: { tier: Tier; expires_at: string | null }): Partial<Person> {
  return { subscription_tier: tier, subscription_expires_at: expires_at, effective_tier: tier };
}

/** Whether the server refused because nobody else is an administrator. */
function isConflict(error: unknown): error is HttpError {
  return error instanceof HttpError && error.status === 409;
}

/** The last millisecond of a local day. */
function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59.999`);
}

/**
 * The last millisecond of the day `days` after `now`.
 * @param now epoch milliseconds
 */
function endOfDayIn(days: number, now: number): Date {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 23, 59, 59, 999);
}
