import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { outboxNotice } from '#app/state/outbox/outbox-notice.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';

/** Rarely needed, so its file is not in the first bytes. It comes with the outbox, while there is a network. */
const OutboxIndicator = lazyPart(
  async () => (await import('./outbox-indicator.tsx')).OutboxIndicator,
  () => null,
);

/** Says that changes wait for the network, or were refused: over the feed, or under the title of another view. */
export function WaitingChanges() {
  const { isLoaded } = useSnapshot(outboxNotice);
  return <Suspense>{isLoaded && <OutboxIndicator />}</Suspense>;
}
