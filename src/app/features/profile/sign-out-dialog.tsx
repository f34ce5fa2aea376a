import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { signOut } from '#app/state/account.ts';
import { connection } from '#app/state/connection.ts';
import { discardAllChanges, keepChanges, sendNow } from '#app/state/outbox/outbox-actions.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { removeAllSaved } from '#app/state/saved/saved-session.ts';
import { saved } from '#app/state/saved/saved-state.ts';
import { needsDevice, uploads } from '#app/state/uploads/uploads-state.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { Button } from '#app/ui/button.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { sizeText } from '#app/ui/texts.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import { openForm } from './account-forms.ts';
import styles from './sign-out-dialog.module.css';

/** Asks about uploads and waiting changes before a sign-out. It is drawn anew for each user. */
export function SignOutDialog() {
  const { asked, decided, uploads: count } = useSnapshot(signingOut);
  useEffect(() => {
    if (decided !== null) completeSignOut();
  }, [decided]);
  useEffect(() => cancelSignOut, []);
  const { entries } = useSnapshot(outbox);
  if (!asked) return null;
  if (count > 0) return <UploadsQuestion count={count} />;
  return entries.length > 0 ? <ChangesQuestion /> : <SavedQuestion />;
}

/** Says which saved videos leave this device with the person; null when there are none. */
function useRemoval(): string | null {
  const { rows } = useSnapshot(saved);
  const bytes = rows.reduce((sum, { savedBytes }) => sum + savedBytes, 0);
  return rows.length === 0 ? null : notices.savedBeforeSignOut(rows.length, sizeText(bytes));
}

/** Asks about saved videos. Without any, it asks because the changes were sent while it was open. */
function SavedQuestion() {
  return (
    <ConfirmDialog
      title="Sign Out"
      sentence={useRemoval() ?? notices.changesSent}
      action="Sign Out"
      onConfirm={finish}
      onClose={cancelSignOut}
    />
  );
}

function UploadsQuestion({ count }: { count: number }) {
  const { isLasting } = useSnapshot(uploads);
  return (
    <ConfirmDialog
      title="Sign Out"
      sentence={isLasting ? notices.uploadsBeforeSignOut(count) : notices.uploadsEndWithPage}
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
  const removal = useRemoval();
  useBackLayer(cancelSignOut);
  return (
    <Modal
      kind="alertdialog"
      title="Sign Out"
      sentence={isLasting ? notices.changesBeforeSignOut(entries.length) : notices.changesEndWithPage}
      onClose={cancelSignOut}
    >
      {removal !== null && <p className={styles.hint}>{removal}</p>}
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

/** `here` is this device alone. `everywhere` opens the form for all devices. */
type SignOutScope = 'here' | 'everywhere';

interface SignOutState {
  /** The sign-out that asks, first about uploads and then about waiting changes, or null. */
  asked: SignOutScope | null;
  /** Number of unfinished uploads when it asked. 0: the question is about waiting changes. */
  uploads: number;
  /** The sign-out to continue once the question is closed, or null. */
  decided: SignOutScope | null;
  isSending: boolean;
  refusal: string | null;
}

const initial = { asked: null, uploads: 0, decided: null, isSending: false, refusal: null };

const signingOut = proxy<SignOutState>({ ...initial });

/** Signs out, after a question when the user has unfinished uploads or waiting changes. */
export function startSignOut(scope: SignOutScope): void {
  const unsent = uploads.rows.filter(needsDevice).length;
  if (unsent > 0 || outbox.entries.length > 0 || saved.rows.length > 0)
    Object.assign(signingOut, { asked: scope, uploads: unsent });
  else goOn(scope);
}

/**
 * Leaves the uploads paused until their owner signs in again. Asks about waiting changes and saved
 * videos next, if there are any.
 */
function leaveUploads(): void {
  if (outbox.entries.length === 0 && saved.rows.length === 0) finish();
  else signingOut.uploads = 0;
}

export function cancelSignOut(): void {
  Object.assign(signingOut, initial);
}

/** Sends the waiting changes, and signs out when none is left. */
async function sendAndSignOut(): Promise<void> {
  Object.assign(signingOut, { isSending: true, refusal: null });
  const isAllSent = await sendNow();
  signingOut.isSending = false;
  if (isAllSent) finish();
  else signingOut.refusal = failures.changesNotSent;
}

async function discardAndSignOut(): Promise<void> {
  await discardAllChanges();
  finish();
}

async function keepAndSignOut(): Promise<void> {
  await keepChanges();
  finish();
}

/**
 * Continues the sign-out. The dialog calls it once the question is closed, because the form that
 * follows is a layer of its own.
 */
function completeSignOut(): void {
  const { decided } = signingOut;
  cancelSignOut();
  if (decided !== null) goOn(decided);
}

function finish(): void {
  Object.assign(signingOut, { asked: null, decided: signingOut.asked });
}

function goOn(scope: SignOutScope): void {
  if (scope === 'here') void removeAndSignOut();
  else openForm('signing-out');
}

async function removeAndSignOut(): Promise<void> {
  const isSame = watchViewer();
  await removeAllSaved();
  // Another tab may have signed in somebody else meanwhile.
  if (isSame()) await signOut();
}
