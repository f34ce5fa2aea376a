import type { Settings, User } from '#contract/entities/people/user.ts';
import { applyUser, ownUser } from '../account.ts';
import { session } from '../session.ts';

const showAsAnswered = (user: User): User => user;

/** Applies the server's reply to a change of the own settings. */
export function applySettings(change: Partial<Settings>): void {
  const user = confirmedUser();
  if (user) applyUser({ user: { ...user, settings: { ...user.settings, ...change } }, features: user.features });
}

/** Shows what waits for the network over what the server has answered, from now on; null: nothing waits. */
export function showWaiting(change: ((user: User) => User) | null): void {
  if (change === null && !isChanged()) return;
  ownUser.confirmed = confirmedUser();
  ownUser.show = change ?? showAsAnswered;
  if (ownUser.confirmed) session.user = ownUser.show(ownUser.confirmed);
}

/** Whether what is shown differs from what the server has answered. */
function isChanged(): boolean {
  return ownUser.confirmed !== null && ownUser.show(ownUser.confirmed) !== ownUser.confirmed;
}

function confirmedUser(): User | null {
  const { confirmed } = ownUser;
  return isChanged() && confirmed?.id === session.user?.id ? confirmed : session.user;
}
