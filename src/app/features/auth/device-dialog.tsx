import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { navigation } from '#app/state/navigation.ts';
import { nameOf, session } from '#app/state/session.ts';
import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { deviceApproval, editUserCode, resetDeviceApproval } from './device-approval-store.ts';
import { DeviceForm } from './device-form.tsx';
import SignInDialog from './sign-in-dialog.tsx';

/** Where the code of a TV is entered, or confirmed after it was scanned. Whoever is signed out signs in first. */
export default function DeviceDialog({ onClose }: { onClose: () => void }) {
  const { user, phase } = useSnapshot(session);
  const { isDone } = useSnapshot(deviceApproval);
  useEffect(() => {
    if (navigation.deviceCode) editUserCode(navigation.deviceCode);
    return resetDeviceApproval;
  }, []);
  if (phase === 'loading') return null;
  if (user === null) return <SignInDialog mode="sign-in" onClose={onClose} />;
  const question = (
    <>
      The TV that shows this code will be signed in as <bdi>{nameOf(user)}</bdi>.
    </>
  );
  return (
    <Modal title="Sign in a TV" sentence={isDone ? 'The TV is being signed in.' : question} size="small" onClose={onClose}>
      {isDone ? <Button label="Close" isBlock onPress={onClose} /> : <DeviceForm />}
    </Modal>
  );
}
