import { proxy } from 'valtio/vanilla';
import { cancelVisit, visitProvider } from '#app/state/providers.ts';
import { session } from '#app/state/session.ts';
import type { AuthProvider } from '#contract/entities/account.ts';

/** Whether the user has just confirmed their identity at a provider. */
export const providerProof = proxy({ isGiven: false });

/** A profile that an older version stored has no `has_password`: the server will refuse if one is needed. */
export function hasPassword({
  user,
}: {
  readonly user: { readonly has_password?: boolean } | null;
} = session): boolean {
  return user?.has_password !== false;
}

/** Linking a linked provider again confirms the identity, and returns to this page with the same session. */
export function proveByProvider(provider: AuthProvider): void {
  providerProof.isGiven = false;
  visitProvider(provider, {
    isLinking: true,
    onSuccess: () => {
      providerProof.isGiven = true;
    },
  });
}

export function clearProof(): void {
  cancelVisit();
  providerProof.isGiven = false;
}
