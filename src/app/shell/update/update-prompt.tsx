import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { appUpdate } from '#app/state/app-update.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';

/** Rarely needed, so its file is not in the first bytes. Without it the menu's entry offers the version. */
const UpdateOffer = lazyPart(
  async () => (await import('./update-offer.tsx')).UpdateOffer,
  () => null,
);

/** Offers a new version in a toast for a while; afterwards the menu has an entry for it. */
export function UpdatePrompt() {
  const { isReady, isDeferred } = useSnapshot(appUpdate);
  return <Suspense fallback={null}>{isReady && !isDeferred && <UpdateOffer />}</Suspense>;
}
