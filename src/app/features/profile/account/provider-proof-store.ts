import { proxy } from 'valtio/vanilla';
import { cancelVisit, visitProvider } from '#app/state/providers.ts';
import { session } from '#app/state/session.ts';
import type { AuthProvider } from '#contract/entities/identity.ts';

/** Whether the person has just come from their provider, for a form that asks who they are. */
export const providerProof = proxy({ isGiven: false });

/** A profile that an older version has kept does not say: then the server will. */
export function hasPassword({ user }: { readonly user: { readonly has_password?: boolean } | null } = session): boolean {
  return user?.has_password !== false;
}

/** Linking what is linked already proves who somebody is; it ends in this page, under the same session. */
export function proveByProvider(provider: AuthProvider): void {
  providerProof.isGiven = false;
  visitProvider(provider, {
    isLinking: true,
    onSuccess: () => {
      providerProof.isGiven = true;
    },
  });
}

export function forgetProof(): void {
  cancelVisit();
  providerProof.isGiven = false;
}
