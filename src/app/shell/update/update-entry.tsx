import { RefreshCw } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { acceptUpdate } from '../../platform/worker-link.ts';
import { appUpdate } from '../../state/app-update.ts';

/** The last entry of the menu, while a new version is ready and its toast was dismissed. */
export function UpdateEntry({ className }: { className: string | undefined }) {
  const { isInMenu, isDeferred } = useSnapshot(appUpdate);
  if (!isInMenu || isDeferred) return null;
  return (
    <li>
      <button type="button" className={className} title="A new version of Fourfold is ready." onClick={acceptUpdate}>
        <RefreshCw aria-hidden="true" />
        Update
      </button>
    </li>
  );
}
