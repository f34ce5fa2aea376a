import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { closeEula, uploadAccess } from './access-store.ts';
import { AlertDialog } from './alert-dialog.tsx';
import { alerts, dismissAlert } from './alerts-store.ts';
import { dismissStartFailure } from './upload-store.ts';

const EulaDialog = lazyPart(async () => (await import('./eula/eula-dialog.tsx')).EulaDialog, EulaMissing);

function EulaMissing() {
  const { isReachable } = useSnapshot(connection);
  const sentence = isReachable ? 'It could not be loaded.' : 'Needs a connection';
  return <AlertDialog title="End-User License Agreement" sentence={sentence} onClose={closeEula} />;
}

/** The agreement, and what has to be said: one at a time. */
export function UploadDialogs() {
  const { isEulaOpen } = useSnapshot(uploadAccess);
  const { startFailure } = useSnapshot(uploads);
  const { waiting } = useSnapshot(alerts);
  const [alert] = waiting;
  if (startFailure !== null)
    return <AlertDialog title="Upload Videos" sentence={startFailure} onClose={dismissStartFailure} />;
  if (alert) return <AlertDialog key={waiting.length} {...alert} onClose={dismissAlert} />;
  return <Suspense fallback={null}>{isEulaOpen && <EulaDialog />}</Suspense>;
}
