import type { ReactNode } from 'react';
import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { reloadApp } from '#app/state/app-update.ts';
import { connection } from '#app/state/connection.ts';
import type { DialogName } from '#app/state/navigation.ts';
import { closeDialog, navigation } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { Modal } from '#app/ui/modal.tsx';

const SignInDialog = lazyPart(
  async () => (await import('#app/features/auth/sign-in-dialog.tsx')).default,
  DialogNotLoaded,
);
const DeviceDialog = lazyPart(
  async () => (await import('#app/features/auth/device-dialog.tsx')).default,
  DialogNotLoaded,
);
const AccountDialog = lazyPart(
  async () => (await import('#app/features/profile/account-dialog.tsx')).default,
  DialogNotLoaded,
);
const PlansDialog = lazyPart(
  async () => (await import('#app/features/plans/plans-dialog.tsx')).default,
  DialogNotLoaded,
);
const ShortcutsDialog = lazyPart(
  async () => (await import('#app/features/feed/shortcuts-dialog.tsx')).default,
  DialogNotLoaded,
);

/** The dialog open over the view, if any. */
export function Dialogs() {
  const { dialog } = useSnapshot(navigation);
  return dialog && <Suspense fallback={null}>{draw(dialog)}</Suspense>;
}

function draw(dialog: DialogName): ReactNode {
  if (dialog === 'plans') return <PlansDialog onClose={closeDialog} />;
  if (dialog === 'account') return <AccountDialog onClose={closeDialog} />;
  if (dialog === 'shortcuts') return <ShortcutsDialog onClose={closeDialog} />;
  if (dialog === 'device') return <DeviceDialog onClose={closeDialog} />;
  return <SignInDialog mode={dialog} onClose={closeDialog} />;
}

/**
 * Shown when the file of a dialog could not be loaded: offline and not cached, or removed with an
 * older version.
 */
function DialogNotLoaded({ onClose }: { onClose: () => void }) {
  const { isReachable } = useSnapshot(connection);
  const sentence = isReachable ? 'This could not be loaded.' : 'Needs a connection';
  return (
    <Modal kind="alertdialog" title="Not loaded" sentence={sentence} onClose={onClose}>
      {isReachable ? (
        <Button label="Reload" onPress={() => void reloadApp()} />
      ) : (
        <Button label="Close" onPress={onClose} />
      )}
    </Modal>
  );
}
