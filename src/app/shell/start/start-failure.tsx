import { CircleAlert } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { readSession } from '#app/state/account.ts';
import { connection } from '#app/state/connection.ts';
import { session } from '#app/state/session.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Toast } from '#app/ui/overlay/toast.tsx';
import { initializeAuthentication } from '#contract/start-failures.ts';

const parts = {
  icon: <CircleAlert aria-hidden="true" />,
  sentence: initializeAuthentication,
  action: { label: 'Retry', onPress: () => void readSession() },
};

/** §8: the failed start as a banner under the title of a view. Offline, the offline banner says enough. */
export function StartFailureBanner() {
  return useHasFailed() ? <Banner kind="danger" {...parts} /> : null;
}

/** The same as a toast over the feed, which has no title. */
export function StartFailureToast() {
  return useHasFailed() ? <Toast {...parts} /> : null;
}

function useHasFailed(): boolean {
  const { phase } = useSnapshot(session);
  const { isReachable } = useSnapshot(connection);
  return phase === 'failed' && isReachable;
}
