import { RefreshCw } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { isAtRisk, uploads } from '#app/state/uploads/uploads-state.ts';
import { Banner } from '#app/ui/banner.tsx';

/** A new version that waits for uploads, for whoever does not want to wait; not where one of them would be lost. */
export function UpdateNotice() {
  const { isReady, isInMenu, isDeferred } = useSnapshot(appUpdate);
  const isSafe = !useSnapshot(uploads).rows.some(isAtRisk);
  if (!isDeferred || !isSafe || !(isReady || isInMenu)) return null;
  return (
    <Banner
      kind="info"
      icon={<RefreshCw aria-hidden="true" />}
      sentence="A new version of Fourfold is ready. Uploads go on after the reload."
      action={{ label: 'Reload', onPress: acceptUpdate }}
    />
  );
}
