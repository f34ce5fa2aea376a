import { session } from '#app/state/session.ts';
import type { Features } from '#contract/rules/tiers.ts';

/** §6 Features: mute, pin, seek and skip are there unless the server says that they are not. */
export function mayControl({ features }: { readonly features: Readonly<Features> | null } = session): boolean {
  return features?.video_controls !== false;
}
