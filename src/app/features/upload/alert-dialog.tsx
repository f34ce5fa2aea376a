import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import styles from './alert-dialog.module.css';

interface Props {
  title: string;
  /** Line breaks are kept. */
  sentence: string;
  onClose: () => void;
}

/** Says something that has to be read (§5): one sentence, or a line for each file. */
export function AlertDialog({ title, sentence, onClose }: Props) {
  useBackLayer(onClose);
  return (
    <Modal
      kind="alertdialog"
      title={title}
      sentence={<span className={styles.lines}>{sentence}</span>}
      onClose={onClose}
      foot={
        <div className={styles.buttons}>
          <Button label="OK" isFirst onPress={onClose} />
        </div>
      }
    />
  );
}
