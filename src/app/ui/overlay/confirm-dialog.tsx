import { Button } from '../button.tsx';
import styles from './confirm-dialog.module.css';
import { Modal } from './modal.tsx';
import { useBackLayer } from './use-back-layer.ts';

interface Props {
  title: string;
  /** From `contract/confirmations.ts`. */
  sentence: string;
  /** Label of the button that goes on; `busy` while it is at work. */
  action: string;
  busy?: string;
  isBusy?: boolean;
  /** What is done cannot be taken back: the button is red. */
  isFinal?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks before something is done. The focus starts on Cancel, so that a second press of the same key confirms nothing.
 */
export function ConfirmDialog({
  title,
  sentence,
  action,
  busy = action,
  isBusy = false,
  isFinal = true,
  onConfirm,
  onClose,
}: Props) {
  useBackLayer(onClose);
  return (
    <Modal kind="alertdialog" title={title} sentence={sentence} onClose={onClose}>
      <div className={styles.buttons}>
        <Button kind="line" label="Cancel" isFirst onPress={onClose} />
        <Button
          kind={isFinal ? 'danger-fill' : 'primary'}
          label={isBusy ? busy : action}
          isDisabled={isBusy}
          onPress={onConfirm}
        />
      </div>
    </Modal>
  );
}
