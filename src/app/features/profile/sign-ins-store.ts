import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { endSession as endSessionCall, listIdentities, listSessions, unlinkIdentity } from '#contract/endpoints.ts';
import type { AuthProvider, Identity, Session } from '#contract/entities/account.ts';
import { failures } from '#contract/failures.ts';

interface SessionsState {
  /** The user's sessions; null before the first reply. */
  list: Session[] | null;
  /** The list could not be loaded, and no older one is available. */
  hasFailed: boolean;
  /** Ids of the sessions that are being ended. */
  ending: string[];
  /** Why a session could not be ended. */
  refusal: string | null;
}

const noSessions = { list: null, hasFailed: false, refusal: null };

export const sessions = proxy<SessionsState>({ ...noSessions, ending: [] });

/** Number of the latest request. Replies to earlier ones, such as for another user, are ignored. */
let sessionsTurn = 0;

export async function loadSessions(): Promise<void> {
  sessionsTurn += 1;
  const own = sessionsTurn;
  sessions.hasFailed = false;
  const reply = await call(listSessions).catch(() => null);
  if (own !== sessionsTurn) return;
  sessions.list = reply?.sessions ?? sessions.list;
  sessions.hasFailed = sessions.list === null;
}

/** Ends a session. One that no longer exists counts as ended. */
export async function endOneSession(id: string): Promise<void> {
  const isSame = watchViewer();
  sessions.refusal = null;
  sessions.ending.push(id);
  try {
    await call(endSessionCall, { params: { id } }).catch(ignoreMissing);
    sessions.list = sessions.list?.filter((one) => one.id !== id) ?? null;
  } catch (error) {
    if (isSame()) sessions.refusal = error instanceof HttpError ? error.message : failures.connection;
  } finally {
    sessions.ending = sessions.ending.filter((one) => one !== id);
  }
}

export function resetSessions(): void {
  sessionsTurn += 1;
  Object.assign(sessions, noSessions, { ending: [] });
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof HttpError && error.status === 404)) throw error;
}

interface IdentitiesState {
  /** Linked accounts of sign-in providers; null before the first reply. */
  linked: Identity[] | null;
  hasFailed: boolean;
  /** Name of the provider that is being unlinked. */
  unlinking: string | null;
  /** Why the provider could not be unlinked. */
  refusal: string | null;
}

const noIdentities = { linked: null, hasFailed: false, unlinking: null, refusal: null };

export const identities = proxy<IdentitiesState>({ ...noIdentities });

let identitiesTurn = 0;

export async function loadIdentities(): Promise<void> {
  identitiesTurn += 1;
  const own = identitiesTurn;
  identities.hasFailed = false;
  const reply = await call(listIdentities).catch(() => null);
  if (own !== identitiesTurn) return;
  identities.linked = reply?.identities ?? identities.linked;
  identities.hasFailed = identities.linked === null;
}

/** Unlinks a provider. One that is linked no longer counts as unlinked. */
export async function unlink(provider: string): Promise<void> {
  const isSame = watchViewer();
  Object.assign(identities, { unlinking: provider, refusal: null });
  try {
    await call(unlinkIdentity, { params: { provider } }).catch(ignoreMissing);
  } catch (error) {
    if (isSame()) identities.refusal = error instanceof HttpError ? error.message : failures.connection;
  }
  if (!isSame()) return;
  await loadIdentities();
  identities.unlinking = null;
}

export function resetIdentities(): void {
  identitiesTurn += 1;
  Object.assign(identities, noIdentities);
}

export interface ProviderRow {
  name: string;
  label: string;
  linked: Pick<Identity, 'email'> | null;
}

/** A row for each configured provider and each linked one, whether configured or not. */
export function providerRowsOf(offered: readonly AuthProvider[], linked: readonly Identity[]): ProviderRow[] {
  const labelOf = (name: string) => offered.find((provider) => provider.name === name)?.display_name ?? name;
  const names = new Set([...offered.map(({ name }) => name), ...linked.map(({ provider }) => provider)]);
  return [...names].map((name) => ({
    name,
    label: labelOf(name),
    linked: linked.find(({ provider }) => provider === name) ?? null,
  }));
}
