import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { session } from '#app/state/session.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';

/** Rarely needed, so their file is not in the first bytes. */
const FailureBanner = lazyPart(
  async () => (await import('./start-failure-notices.tsx')).FailureBanner,
  () => null,
);
const FailureToast = lazyPart(
  async () => (await import('./start-failure-notices.tsx')).FailureToast,
  () => null,
);

/** §8: the failed start as a banner under the title of a view. Offline, the offline banner says enough. */
export function StartFailureBanner() {
  return <Suspense fallback={null}>{useHasFailed() && <FailureBanner />}</Suspense>;
}

/** The same as a toast over the feed, which has no title. */
export function StartFailureToast() {
  return <Suspense fallback={null}>{useHasFailed() && <FailureToast />}</Suspense>;
}

function useHasFailed(): boolean {
  const { phase } = useSnapshot(session);
  const { isReachable } = useSnapshot(connection);
  return phase === 'failed' && isReachable;
}
