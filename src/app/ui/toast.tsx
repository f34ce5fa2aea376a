import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import styles from './toast.module.css';

interface Props {
  icon: ReactNode;
  sentence: string;
  action: { label: string; onPress: () => void };
  onDismiss: () => void;
}

/** One sentence, one action and an X, at the bottom of the window. */
export function Toast({ icon, sentence, action, onDismiss }: Props) {
  return (
    <div className={styles.toast} role="status">
      {icon}
      <span className={styles.sentence}>{sentence}</span>
      <Button kind="quiet" label={action.label} onPress={action.onPress} />
      <IconButton label="Not now" icon={<X aria-hidden="true" />} onPress={onDismiss} />
    </div>
  );
}
