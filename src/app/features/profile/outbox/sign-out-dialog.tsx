import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Button } from '#app/ui/button.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import {
  changesBeforeSignOut,
  changesEndWithPage,
  uploadsBeforeSignOut,
  uploadsEndWithPage,
} from '#contract/notices.ts';
import styles from './sign-out-dialog.module.css';
import {
  cancelSignOut,
  completeSignOut,
  discardAndSignOut,
  keepAndSignOut,
  leaveUploads,
  sendAndSignOut,
  signingOut,
} from './sign-out-store.ts';

/** Asks about uploads and waiting changes before their owner signs out, while a sign-out has asked. */
export function SignOutDialog() {
  const { asked, decided, uploads: count } = useSnapshot(signingOut);
  useEffect(() => {
    if (decided !== null) completeSignOut();
  }, [decided]);
  if (!asked) return null;
  return count > 0 ? <UploadsQuestion count={count} /> : <ChangesQuestion />;
}

function UploadsQuestion({ count }: { count: number }) {
  const { isLasting } = useSnapshot(uploads);
  return (
    <ConfirmDialog
      title="Sign Out"
      sentence={isLasting ? uploadsBeforeSignOut(count) : uploadsEndWithPage}
      action="Sign Out"
      isFinal={!isLasting}
      onConfirm={leaveUploads}
      onClose={cancelSignOut}
    />
  );
}

function ChangesQuestion() {
  const { entries, isLasting } = useSnapshot(outbox);
  const { isSending, refusal } = useSnapshot(signingOut);
  const { isReachable } = useSnapshot(connection);
  useBackLayer(cancelSignOut);
  return (
    <Modal
      kind="alertdialog"
      title="Sign Out"
      sentence={isLasting ? changesBeforeSignOut(entries.length) : changesEndWithPage}
      onClose={cancelSignOut}
    >
      {!isReachable && <p className={styles.hint}>You are offline.</p>}
      {refusal !== null && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={refusal} />}
      <div className={styles.buttons}>
        <Button
          kind="line"
          label={isSending ? 'Sending...' : 'Send now'}
          isDisabled={isSending || !isReachable}
          onPress={() => void sendAndSignOut()}
        />
        <Button
          label="Keep for me"
          isFirst
          isDisabled={isSending || !isLasting}
          onPress={() => void keepAndSignOut()}
        />
        <Button kind="danger" label="Discard" isDisabled={isSending} onPress={() => void discardAndSignOut()} />
      </div>
    </Modal>
  );
}
