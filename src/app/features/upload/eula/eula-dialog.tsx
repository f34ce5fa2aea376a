import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import { limits } from '#contract/limits.ts';
import { canAccept } from '#contract/rules/eula.ts';
import { closeEula } from '../access-store.ts';
import styles from './eula-dialog.module.css';
import {
  acceptAgreement,
  declineAgreement,
  dismissEulaFailure,
  eula,
  eulaTitle,
  openEulaText,
  tickEula,
} from './eula-store.ts';
import { EulaText } from './eula-text.tsx';

/** §2 EULA modal: to be read to its end, ticked, and accepted. */
export function EulaDialog() {
  useBackLayer(closeEula);
  useEffect(openEulaText, []);
  return (
    <Modal title={eulaTitle} size="text" onClose={closeEula} foot={<Foot />}>
      <p className={styles.version}>{`Version ${limits.eulaVersion}`}</p>
      <EulaText />
    </Modal>
  );
}

function Foot() {
  const { isReadToEnd, isTicked, isAccepting, failure } = useSnapshot(eula);
  return (
    <>
      {failure !== null && (
        <Banner
          kind="danger"
          icon={<CircleAlert aria-hidden="true" />}
          sentence={failure}
          onDismiss={dismissEulaFailure}
        />
      )}
      <div className={styles.agree}>
        <CheckRow
          label="I have read and understood the terms and conditions"
          isOn={isTicked}
          isDisabled={!isReadToEnd}
          onChange={tickEula}
        />
      </div>
      <div className={styles.buttons}>
        <Button kind="line" label="Decline" onPress={declineAgreement} />
        <Button
          label={isReadToEnd ? (isAccepting ? 'Accepting...' : 'Accept') : 'Scroll to Bottom to Accept'}
          isDisabled={isAccepting || !canAccept({ isReadToEnd, isTicked })}
          onPress={() => void acceptAgreement()}
        />
      </div>
    </>
  );
}
