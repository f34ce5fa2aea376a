import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './banner.module.css';
import { Button, IconButton } from './button.tsx';

interface Props {
  icon: ReactNode;
  sentence: string;
  /** The kind of message; the colour repeats what icon and text say. */
  kind?: keyof typeof kinds;
  action?: { label: string; onPress: () => void };
  onDismiss?: () => void;
}

const kinds = { warn: styles.warn, danger: styles.danger, ok: styles.ok, info: styles.info };

/**
 * One sentence across the page, under its title. Screen readers announce a failure at once
 * (`alert`), other messages politely (`status`).
 */
export function Banner({ icon, sentence, kind = 'warn', action, onDismiss }: Props) {
  return (
    <div className={`${styles.banner} ${kinds[kind]}`} role={kind === 'danger' ? 'alert' : 'status'}>
      {icon}
      <span className={styles.sentence}>{sentence}</span>
      {action && <Button kind="quiet" label={action.label} onPress={action.onPress} />}
      {onDismiss && <IconButton label="Dismiss" icon={<X aria-hidden="true" />} onPress={onDismiss} />}
    </div>
  );
}
