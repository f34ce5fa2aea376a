import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { listIdentities, unlinkIdentity } from '#contract/endpoints.ts';
import type { AuthProvider, Identity } from '#contract/entities/account.ts';
import * as failures from '#contract/failures.ts';

interface IdentitiesState {
  /** Linked accounts of sign-in providers; null before the first reply. */
  linked: Identity[] | null;
  hasFailed: boolean;
  /** The provider that is being unlinked. */
  unlinking: string | null;
  /** Why it could not be unlinked. */
  refusal: string | null;
}

const empty = { linked: null, hasFailed: false, unlinking: null, refusal: null };

export const identities = proxy<IdentitiesState>({ ...empty });

let turn = 0;

export async function loadIdentities(): Promise<void> {
  turn += 1;
  const own = turn;
  identities.hasFailed = false;
  const reply = await call(listIdentities).catch(() => null);
  if (own !== turn) return;
  identities.linked = reply?.identities ?? identities.linked;
  identities.hasFailed = identities.linked === null;
}

export async function unlink(provider: string): Promise<void> {
  Object.assign(identities, { unlinking: provider, refusal: null });
  try {
    await call(unlinkIdentity, { params: { provider } });
  } catch (error) {
    identities.refusal = error instanceof HttpError ? error.message : failures.connection;
  }
  await loadIdentities();
  identities.unlinking = null;
}

export function resetIdentities(): void {
  turn += 1;
  Object.assign(identities, empty);
}

export interface ProviderRow {
  name: string;
  label: string;
  linked: Pick<Identity, 'email'> | null;
}

/** A row for each configured provider, and for each linked one, configured or not. */
export function rowsOf(offered: readonly AuthProvider[], linked: readonly Identity[]): ProviderRow[] {
  const labelOf = (name: string) => offered.find((provider) => provider.name === name)?.display_name ?? name;
  const names = new Set([...offered.map(({ name }) => name), ...linked.map(({ provider }) => provider)]);
  return [...names].map((name) => ({
    name,
    label: labelOf(name),
    linked: linked.find(({ provider }) => provider === name) ?? null,
  }));
}
