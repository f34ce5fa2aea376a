import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';

/**
 * Shown instead of a dialog whose file could not be loaded: offline and not cached, or removed with an older version.
 */
export function DialogNotLoaded({ onClose }: { onClose: () => void }) {
  return (
    <Modal kind="alertdialog" title="Not loaded" sentence="This could not be loaded." onClose={onClose}>
      <Button label="Reload" onPress={() => location.reload()} />
    </Modal>
  );
}
