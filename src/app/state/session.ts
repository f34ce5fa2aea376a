import { proxy, subscribe } from 'valtio/vanilla';
import type { User } from '#contract/entities/user.ts';
import type { Features, Tier } from '#contract/rules/tiers.ts';
import { tierBadges } from '#contract/rules/tiers.ts';

interface SessionState {
  /** §4 Auth: loading until the first profile; failed when nobody could say who is here. */
  phase: 'loading' | 'known' | 'failed';
  /** Who is signed in on this browser; null is somebody without an account. */
  user: User | null;
  /** What the viewer may do; null until a server has said so, and then nothing is taken away (§6 Features). */
  features: Features | null;
}

export const session = proxy<SessionState>({ phase: 'loading', user: null, features: null });

/** Whom a part of the app is for (§6). */
export type Audience = 'everybody' | 'signed-in' | 'admin';

export function isAmong(user: Pick<User, 'effective_tier'> | null, audience: Audience): boolean {
  if (audience === 'everybody') return true;
  return user !== null && (audience === 'signed-in' || user.effective_tier === 'admin');
}

type Named = Pick<User, 'username' | 'display_name'>;

/** §2 Side menu: the display name, or the username. */
export function nameOf(user: Named | null): string {
  return user ? (user.display_name ?? user.username) : 'Anonymous User';
}

/** The letter that stands where there is no picture. */
export function initialOf(user: Named | null): string {
  return (Array.from(nameOf(user))[0] ?? '').toUpperCase();
}

/** The tier as the menu's foot says it, and what gives it its colour. */
export function tierOf(user: Pick<User, 'effective_tier'> | null): { tier: Tier; words: string } {
  return user ? { tier: user.effective_tier, words: tierBadges[user.effective_tier] } : { tier: 'basic', words: 'Basic Tier' };
}

/** Calls when somebody else is here than before: not for the first who is known, nor for news of the same person. Returns what stops it. */
export function onUserChange(hear: () => void): () => void {
  let known = personOf(session);
  return subscribe(session, () => {
    const person = personOf(session);
    if (person === undefined || person === known) return;
    const isFirst = known === undefined;
    known = person;
    if (!isFirst) hear();
  });
}

/** Null is somebody without an account; undefined while nobody has said who is here. */
function personOf({ phase, user }: SessionState): string | null | undefined {
  return phase === 'known' ? (user?.id ?? null) : undefined;
}

export function resetSession(): void {
  Object.assign(session, { phase: 'loading', user: null, features: null });
}
