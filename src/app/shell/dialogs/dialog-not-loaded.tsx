import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';

/** Stands for a dialog whose file could not be had: no network and not kept on the device, or gone with the version that this page is of. */
export function DialogNotLoaded({ onClose }: { onClose: () => void }) {
  return (
    <Modal kind="alertdialog" title="Not loaded" sentence="This could not be loaded." onClose={onClose}>
      <Button label="Reload" onPress={() => location.reload()} />
    </Modal>
  );
}
