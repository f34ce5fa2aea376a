import type { ReactNode } from 'react';
import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import type { DialogName } from '#app/state/navigation.ts';
import { closeDialog, navigation } from '#app/state/navigation.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { DialogNotLoaded } from './dialog-not-loaded.tsx';

const SignInDialog = lazyPart(
  async () => (await import('#app/features/auth/sign-in-dialog.tsx')).default,
  DialogNotLoaded,
);
const DeviceDialog = lazyPart(
  async () => (await import('#app/features/auth/device-dialog.tsx')).default,
  DialogNotLoaded,
);
const AccountDialog = lazyPart(
  async () => (await import('#app/features/profile/account/account-dialog.tsx')).default,
  DialogNotLoaded,
);
const PlansDialog = lazyPart(
  async () => (await import('#app/features/plans/plans-dialog.tsx')).default,
  DialogNotLoaded,
);
const ShortcutsDialog = lazyPart(
  async () => (await import('#app/features/feed/keys/shortcuts-dialog.tsx')).default,
  DialogNotLoaded,
);

/** The dialog that is open over the view, if one is. */
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
