import { RefreshCw } from 'lucide-react';
import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { after } from '#app/platform/timers.ts';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { appUpdate, dismissUpdate } from '#app/state/app-update.ts';
import { Toast } from '#app/ui/overlay/toast.tsx';
import { limits } from '#contract/limits.ts';

/** Over whatever is on screen for a while; then the menu keeps the offer. */
export function UpdatePrompt() {
  const { isReady } = useSnapshot(appUpdate);
  return isReady ? <Offer /> : null;
}

function Offer() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => stepBackLater(box), []);
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

/** Not from under the focus: whoever has come to its buttons gets the time again. Returns what stops it. */
function stepBackLater(box: RefObject<HTMLElement | null>): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = after(limits.updateOfferMs, () => (box.current?.contains(document.activeElement) ? wait() : dismissUpdate()));
  };
  wait();
  return () => cancel();
}
