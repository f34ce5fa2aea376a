import { RefreshCw } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { acceptUpdate } from '../platform/worker-link.ts';
import { appUpdate, dismissUpdate } from '../state/app-update.ts';
import { Toast } from '../ui/toast.tsx';

export function UpdatePrompt() {
  const { isReady } = useSnapshot(appUpdate);
  if (!isReady) return null;
  return (
    <Toast
      icon={<RefreshCw aria-hidden="true" />}
      sentence="A new version of Fourfold is ready."
      action={{ label: 'Reload', onPress: acceptUpdate }}
      onDismiss={dismissUpdate}
      dismissLabel="Not now"
    />
  );
}
