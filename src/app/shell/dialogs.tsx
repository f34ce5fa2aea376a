import type { ReactNode } from 'react';
import { lazy, Suspense } from 'react';
import { useSnapshot } from 'valtio';
import type { DialogName } from '../state/navigation.ts';
import { closeDialog, navigation } from '../state/navigation.ts';
import { DialogNotLoaded } from './dialog-not-loaded.tsx';

const SignInDialog = lazy(() => import('../features/auth/sign-in-dialog.tsx').catch(notLoaded));
const DeviceDialog = lazy(() => import('../features/auth/device-dialog.tsx').catch(notLoaded));
const AccountDialog = lazy(() => import('../features/profile/account-dialog.tsx').catch(notLoaded));
const PlansDialog = lazy(() => import('../features/plans/plans-dialog.tsx').catch(notLoaded));
const ShortcutsDialog = lazy(() => import('../features/feed/shortcuts-dialog.tsx').catch(notLoaded));

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

function notLoaded(): { default: typeof DialogNotLoaded } {
  return { default: DialogNotLoaded };
}
