import { RefreshCw } from 'lucide-react';
import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { after } from '#app/platform/timers.ts';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { dismissUpdate } from '#app/state/app-update.ts';
import { Toast } from '#app/ui/overlay/toast.tsx';
import { limits } from '#contract/limits.ts';

export function UpdateOffer() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => dismissLater(box), []);
  return (
    <div ref={box}>
      <Toast
        icon={<RefreshCw aria-hidden="true" />}
        sentence="A new version of Fourfold is ready."
        action={{ label: 'Reload', onPress: acceptUpdate }}
        onDismiss={dismissUpdate}
        dismissLabel="Not now"
      />
    </div>
  );
}

/**
 * Dismisses the toast when its time is over, and starts again while it has the focus. Returns a function that stops it.
 */
function dismissLater(box: RefObject<HTMLElement | null>): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = after(limits.updateOfferMs, () =>
      box.current?.contains(document.activeElement) ? wait() : dismissUpdate(),
    );
  };
  wait();
  return () => cancel();
}
