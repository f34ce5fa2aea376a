import { WifiOff } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Banner } from '#app/ui/banner.tsx';

/** Offline notice under the title of every view but the feed, which has the pill. */
export function OfflineBanner() {
  const { isReachable } = useSnapshot(connection);
  return isReachable ? null : <Banner icon={<WifiOff aria-hidden="true" />} sentence="You are offline." />;
}
