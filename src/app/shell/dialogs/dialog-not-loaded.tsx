import { useSnapshot } from 'valtio';
import { reloadApp } from '#app/state/app-update.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';

/**
 * Shown instead of a dialog whose file could not be loaded: offline and not cached, or removed with an older version.
 */
export function DialogNotLoaded({ onClose }: { onClose: () => void }) {
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
