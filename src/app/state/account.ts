import type { AuthReply, Tokens } from '#contract/entities/account.ts';
import type { Profile, User, UserReply } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { featureNames, isTier } from '#contract/rules/tiers.ts';
import { signOut as endOnServer, readProfile, refreshSession } from '#contract/start.ts';
import { after } from '#device/timers.ts';
import { localStore } from '../platform/capabilities.ts';
import { accessRefused, call } from '../platform/http/call.ts';
import { HttpError, send } from '../platform/http/send.ts';
import { refreshTokens } from '../platform/http/token-refresh.ts';
import { accessToken, clearTokens, refreshToken, storeTokens } from '../platform/http/token-store.ts';
import { navigation, openDialog } from './navigation.ts';
import { clearFilters, noFilter, quadrantFilters, restoreFilters } from './quadrant-filters.ts';
import { resetRevisions } from './revision.ts';
import { hasRunOut, ownerOf } from './send-as.ts';
import { session } from './session.ts';

/** Counts the changes that make a pending answer outdated. */
let version = 0;
/**
 * `confirmed` is the user as the server sent it; `show` adds the changes that wait for the network.
 */
export const ownUser = { confirmed: null as User | null, show: (user: User): User => user };

/** True when the last request for the profile failed. */
let isUnsure = false;

/** Reads the profile and the features, after at most one refresh of the tokens (§4 Auth). */
export async function readSession(): Promise<void> {
  await readBy(async () => askProfile(await renewOldToken()));
}

/**
 * Reads them once another tab has renewed the tokens. These are not renewed again by this device's
 * clock: where it is fast, the tabs would take turns at it without an end.
 */
export async function readRenewedSession(): Promise<void> {
  await readBy(() => askProfile(false));
}

async function readBy(ask: () => Promise<Profile>): Promise<void> {
  forgetFormerPerson();
  version += 1;
  const ownVersion = version;
  const cancelRestore = after(limits.configCheckTimeoutSeconds * 1000, restoreLastProfile);
  try {
    const profile = await ask();
    if (ownVersion === version) showProfile(profile);
  } catch (error) {
    if (ownVersion === version) handleFailure(error);
  } finally {
    cancelRestore();
  }
}

/**
 * Forgets who was here once another tab has signed in somebody else: every call carries the tokens
 * of that person from then on, and the profile comes later.
 */
function forgetFormerPerson(): void {
  const owner = ownerOf(accessToken() ?? '');
  if (session.user === null || owner === null || owner === session.user.id) return;
  resetRevisions();
  for (const quadrant of quadrants) quadrantFilters[quadrant] = noFilter;
  restoreFilters();
  Object.assign(session, { phase: 'loading', user: null, features: null });
}

/** Reads the session again if the last attempt failed. */
export async function readSessionIfUnsure(): Promise<void> {
  if (isUnsure) await readSession();
}

/**
 * Applies the reply to a change of the own account. A reply that comes after its user has signed
 * out, or somebody else has signed in, is ignored.
 */
export function applyUser({ user, features }: UserReply): void {
  const isLate = session.phase === 'known' && session.user?.id !== user.id;
  if (!isLate) replaceUser({ user, features });
}

function replaceUser({ user, features }: UserReply): void {
  version += 1;
  commitProfile({ user, features });
}

/** Starts a session here: after a password, a registration, or a TV's code. */
export function signInWith({ user, features, ...tokens }: AuthReply): void {
  storeTokens({ access_token: tokens.access_token, refresh_token: tokens.refresh_token });
  resetRevisions();
  clearFilters();
  replaceUser({ user, features });
  // Later answers are compared with the revision counters of this one.
  void readSession();
}

/**
 * Signs out here and in all tabs at once; the server is notified in the background, on best effort.
 */
export async function signOut(): Promise<void> {
  void notifyServer(accessToken(), refreshToken()).catch(ignoreFailedSignOut);
  await endLocalSession();
}

/**
 * Ends the session here: clears tokens and filters, and reads the features of anonymous viewers.
 */
export async function endLocalSession(): Promise<void> {
  clearTokens();
  resetRevisions();
  clearFilters();
  storeLastProfile(null);
  Object.assign(session, { phase: 'known', user: null, features: null });
  await readSession();
}

/** @param isRenewed whether the tokens were just refreshed, so that another time is of no use */
async function askProfile(isRenewed: boolean): Promise<Profile> {
  const profile = await call(readProfile, { quiet: true });
  if (profile.authenticated || isRenewed || refreshToken() === null) return profile;
  return (await refreshTokens(accessToken())) ? call(readProfile, { quiet: true }) : profile;
}

/** Whether the tokens were refreshed because the access token is absent or expired. */
async function renewOldToken(): Promise<boolean> {
  const token = accessToken();
  const isGood = token !== null && !hasRunOut(token);
  return !isGood && refreshToken() !== null && refreshTokens(token);
}

/** Opens the first run for whoever made the first account, unless they are busy in a dialog. */
function showProfile(profile: Profile): void {
  commitProfile(profile);
  if (profile.authenticated && profile.first_run && !navigation.dialog) openDialog('first-run');
}

function commitProfile({ user: answered, features }: UserReply | Profile): void {
  const user = answered && withEffectiveTier(answered);
  isUnsure = false;
  Object.assign(session, { phase: 'known', user: showUser(user), features });
  storeLastProfile(user && { user, features });
}

/**
 * The user with the subscription's tier as effective tier, if the server does not send one (§6).
 */
function withEffectiveTier(user: User): User {
  return isTier(user.effective_tier) ? user : { ...user, effective_tier: user.subscription_tier };
}

/** Keeps the known user when there is no answer. */
function handleFailure(error: unknown): void {
  isUnsure = true;
  if (error instanceof HttpError && error.status === 401) accessRefused.emit({ hadSession: false });
  restoreLastProfile();
  session.phase = session.user ? 'known' : 'failed';
}

/** The last known user of this device, while their tokens are stored. */
export function restoreLastProfile(): void {
  const known = session.user === null && refreshToken() !== null ? readLastProfile() : null;
  if (known) Object.assign(session, known, { user: showUser(known.user) });
}

function showUser(user: User | null): User | null {
  ownUser.confirmed = user;
  return user && ownUser.show(user);
}

/**
 * Ends the session on the server. The tokens are parameters because the stored ones are cleared
 * already.
 */
async function notifyServer(token: string | null, refreshToken: string | null): Promise<void> {
  const end = (accessToken: string | null) =>
    send({ method: endOnServer.method, address: endOnServer.path, body: {} }, accessToken);
  try {
    await end(token);
  } catch (error) {
    const isTooOld = error instanceof HttpError && error.code === 'token_expired';
    if (!isTooOld || refreshToken === null) throw error;
    const fresh = await send(
      { method: refreshSession.method, address: refreshSession.path, body: { refresh_token: refreshToken } },
      null,
    );
    await end((fresh as Tokens).access_token);
  }
}

/** A failed sign-out still clears the tokens (§8). The server's session expires later. */
function ignoreFailedSignOut(): void {}

const key = 'fourfold.profile';

/**
 * Stores who was signed in here last, for starts without a network (§6 Features); null removes it.
 */
function storeLastProfile(profile: UserReply | null): void {
  try {
    if (profile) localStore()?.setItem(key, JSON.stringify(profile));
    else localStore()?.removeItem(key);
  } catch {
    // Storage is full or blocked: the next start without a network is anonymous.
  }
}

/** Null when nobody was signed in, or the stored value is invalid. */
function readLastProfile(): UserReply | null {
  try {
    const kept = JSON.parse(localStore()?.getItem(key) ?? 'null') as UserReply | null;
    return kept && isWhole(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isWhole({ user, features }: UserReply): boolean {
  const isNamed = typeof user.id === 'string' && typeof user.username === 'string' && isTier(user.effective_tier);
  return (
    isNamed &&
    Array.isArray(user.settings.blocked_tag_ids) &&
    featureNames.every((name) => typeof features[name] === 'boolean')
  );
}
