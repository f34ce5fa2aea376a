import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './toast.module.css';

interface Props {
  icon: ReactNode;
  sentence: string;
  action?: { label: string; onPress: () => void };
  onDismiss?: () => void;
  /** Accessible name of the X. */
  dismissLabel?: string;
}

/**
 * One sentence with an optional action and X, at the bottom of the window. The caller decides how
 * long it is shown.
 */
export function Toast({ icon, sentence, action, onDismiss, dismissLabel = 'Dismiss' }: Props) {
  return (
    <div className={styles.toast} role="status">
      {icon}
      <span className={styles.sentence}>{sentence}</span>
      {action && <Button kind="quiet" label={action.label} onPress={action.onPress} />}
      {onDismiss && <IconButton label={dismissLabel} icon={<X aria-hidden="true" />} onPress={onDismiss} />}
    </div>
  );
}
