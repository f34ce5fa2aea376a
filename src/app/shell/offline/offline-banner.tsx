import { WifiOff } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Banner } from '#app/ui/banner.tsx';

/** What the offline pill is on the feed, every other view says under its title. */
export function OfflineBanner() {
  const { isReachable } = useSnapshot(connection);
  return isReachable ? null : <Banner icon={<WifiOff aria-hidden="true" />} sentence="You are offline." />;
}
