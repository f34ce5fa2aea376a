import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/modal.tsx';

/** Opens when the session has ended. */
export default function SignInDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal kind="alertdialog" title="Sign In" sentence="Your session has ended. This part is being built." onClose={onClose}>
      <Button label="Close" onPress={onClose} />
    </Modal>
  );
}
