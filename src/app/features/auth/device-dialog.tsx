import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { nameOf, session } from '#app/state/session.ts';
import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { deviceApproval, resetDeviceApproval } from './device-approval-store.ts';
import { DeviceConfirmation } from './device-confirmation.tsx';
import { DeviceForm } from './device-form.tsx';
import SignInDialog from './sign-in-dialog.tsx';
import { useFocusOnChange } from './use-focus-on-change.ts';

/**
 * Approves the sign-in of a TV: its code is entered, or comes with a scanned address, and the device is confirmed.
 * Anonymous visitors sign in first.
 */
export default function DeviceDialog({ onClose }: { onClose: () => void }) {
  const { user, phase } = useSnapshot(session);
  const { found, isDone } = useSnapshot(deviceApproval);
  const face = isDone ? 'done' : found ? 'confirmation' : 'code';
  const content = useFocusOnChange(face);
  useEffect(() => resetDeviceApproval, []);
  if (phase === 'loading') return null;
  if (user === null) return <SignInDialog mode="sign-in" onClose={onClose} />;
  const name = <bdi>{nameOf(user)}</bdi>;
  const sentences = {
    code: <>The TV that shows this code will be signed in as {name}.</>,
    confirmation: <>This device will be signed in as {name}. Go on only if it is yours.</>,
    done: 'The TV is being signed in.',
  };
  return (
    <Modal title="Sign in a TV" sentence={sentences[face]} size="small" onClose={onClose}>
      <div ref={content}>
        {face === 'code' && <DeviceForm />}
        {found && face === 'confirmation' && <DeviceConfirmation device={found} onCancel={onClose} />}
        {face === 'done' && <Button label="Close" isBlock onPress={onClose} />}
      </div>
    </Modal>
  );
}
