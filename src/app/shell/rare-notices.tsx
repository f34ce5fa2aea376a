import { CircleAlert, Clock, RefreshCw } from 'lucide-react';
import type { RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { readSession } from '#app/state/account.ts';
import { dismissUpdate } from '#app/state/app-update.ts';
import { navigation, openView } from '#app/state/navigation.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { changeSettings } from '#app/state/settings.ts';
import { Button } from '#app/ui/button.tsx';
import { Banner, Toast } from '#app/ui/messages.tsx';
import { Modal, typedDialogs } from '#app/ui/modal.tsx';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import { isUnsent } from '#device/outbox-entry.ts';
import { after } from '#device/timers.ts';
import styles from './notices.module.css';

/** Moves the pill down by slightly more than its own height. */
const belowOffline = { transform: 'translate(-50%, 110%)' };

export function OutboxIndicator() {
  const { entries } = useSnapshot(outbox);
  const { view } = useSnapshot(navigation);
  const waiting = entries.filter(isUnsent).length;
  const refused = entries.length - waiting;
  if (view === 'feed')
    return <div role="status">{entries.length > 0 && <Pill key={refused} waiting={waiting} refused={refused} />}</div>;
  // Profile lists the changes.
  const toProfile = view !== 'profile' && { action: { label: 'Show', onPress: () => openView('profile') } };
  return (
    <>
      {waiting > 0 && (
        <Banner icon={<Clock aria-hidden="true" />} sentence={`${notices.changesWait(waiting)}.`} {...toProfile} />
      )}
      {refused > 0 && (
        <Banner
          icon={<CircleAlert aria-hidden="true" />}
          sentence={`${notices.changesRefused(refused)}.`}
          {...toProfile}
        />
      )}
    </>
  );
}

/** The pill below the offline pill: first a sentence, then the icon alone. */
function Pill({ waiting, refused }: { waiting: number; refused: number }) {
  const [isShort, setShort] = useState(false);
  useEffect(() => after(limits.offlinePillSeconds * 1000, () => setShort(true)), []);
  return (
    <div className={styles.pill} style={belowOffline}>
      {refused > 0 ? <CircleAlert aria-hidden="true" /> : <Clock aria-hidden="true" />}
      <span className={isShort ? 'visually-hidden' : styles.words}>
        {refused > 0 ? notices.changesRefused(refused) : notices.changesWait(waiting)}
      </span>
    </div>
  );
}

/** Offers a new version, but for the time in which a dialog is open that has something typed in it. */
export function UpdateOffer() {
  const { count } = useSnapshot(typedDialogs);
  return count > 0 ? null : <UpdateToast />;
}

function UpdateToast() {
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
 * Dismisses the toast after its time, and waits again while it has the focus. Returns a function
 * that stops it.
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

/** Asks whether this is a screen with a remote. */
export function TvOffer({ onClose }: { onClose: () => void }) {
  const choose = () => {
    changeSettings({ screenLayout: 'tv' });
    onClose();
  };
  return (
    <Modal kind="alertdialog" title="Use the TV layout?" sentence={tvOffer} onClose={onClose}>
      <div className={styles.offer}>
        <Button kind="line" label="No" onPress={onClose} />
        <Button label="Use it" isFirst onPress={choose} />
      </div>
    </Modal>
  );
}

const tvOffer = 'It is made for a remote and for reading from afar. Profile changes it back.';

const parts = {
  icon: <CircleAlert aria-hidden="true" />,
  sentence: failures.initializeAuthentication,
  action: { label: 'Retry', onPress: () => void readSession() },
};

export function FailureBanner() {
  return <Banner kind="danger" {...parts} />;
}

export function FailureToast() {
  return <Toast {...parts} />;
}
