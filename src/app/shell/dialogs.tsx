import { lazy, Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { closeDialog, navigation } from '../state/navigation.ts';

const ShortcutsDialog = lazy(async () => ({ default: (await import('../features/feed/shortcuts-dialog.tsx')).ShortcutsDialog }));
const SignInDialog = lazy(() => import('../features/auth/sign-in-dialog.tsx'));

/** The dialog that is open over the view, if one is. */
export function Dialogs() {
  const { dialog } = useSnapshot(navigation);
  if (dialog === null) return null;
  return (
    <Suspense fallback={null}>
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={closeDialog} />}
      {dialog === 'sign-in' && <SignInDialog onClose={closeDialog} />}
    </Suspense>
  );
}
