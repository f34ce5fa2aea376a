import type { Settings, User } from '#contract/entities/people/user.ts';
import type { OutboxEntry } from '#device/outbox/outbox-entry.ts';

/** A user with the settings that wait for the network, as if they were saved. */
export function addWaitingSettings(
  user: User,
  waiting: readonly Pick<OutboxEntry, 'userId' | 'call' | 'body'>[],
): User {
  const own = waiting.filter(({ userId }) => userId === user.id);
  const settings: Settings = Object.assign({}, user.settings, ...own.map(settingsOf));
  return own.length === 0 ? user : { ...user, settings };
}

function settingsOf({ call, body }: Pick<OutboxEntry, 'call' | 'body'>): Partial<Settings> {
  if (call === 'updateBlocklist') return body as Pick<Settings, 'blocked_tag_ids'>;
  return call === 'updateProfile' ? (body as { settings: Partial<Settings> }).settings : {};
}
