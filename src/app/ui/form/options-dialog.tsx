import { Check } from 'lucide-react';
import { Modal } from '../overlay/modal.tsx';
import { useBackLayer } from '../overlay/use-back-layer.ts';
import styles from './options-dialog.module.css';

interface Props<Value extends string> {
  title: string;
  options: readonly { value: Value; label: string }[];
  /** The current one; null where there is none. */
  value: Value | null;
  onChoose: (value: Value) => void;
  onClose: () => void;
}

/** The values of a select as rows for a remote. The focus starts on the current one. */
export function OptionsDialog<Value extends string>({ title, options, value, onChoose, onClose }: Props<Value>) {
  useBackLayer(onClose);
  return (
    <Modal title={title} size="small" onClose={onClose}>
      <ul>
        {options.map((option) => (
          <li key={option.value}>
            <button
              type="button"
              className={styles.option}
              aria-pressed={option.value === value}
              data-focus-first={option.value === value || undefined}
              onClick={() => onChoose(option.value)}
            >
              <span className={styles.words}>{option.label}</span>
              {option.value === value && <Check aria-hidden="true" />}
            </button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
