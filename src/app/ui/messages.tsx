import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './messages.module.css';

interface Props {
  icon: ReactNode;
  sentence: string;
  action?: { label: string; onPress: () => void };
  onDismiss?: () => void;
}

interface BannerProps extends Props {
  /** The kind of message; the colour repeats what icon and text say. */
  kind?: keyof typeof kinds;
}

const kinds = { warn: styles.warn, danger: styles.danger, ok: styles.ok, info: styles.info };

/**
 * One sentence across the page, under its title. Screen readers announce a failure at once
 * (`alert`), other messages politely (`status`).
 */
export function Banner({ kind = 'warn', ...message }: BannerProps) {
  return (
    <div className={`${styles.banner} ${kinds[kind]}`} role={kind === 'danger' ? 'alert' : 'status'}>
      <Content {...message} />
    </div>
  );
}

interface ToastProps extends Props {
  /** Accessible name of the X. */
  dismissLabel?: string;
}

/**
 * One sentence with an optional action and X, at the bottom of the window. The caller decides how
 * long it is shown.
 */
export function Toast(message: ToastProps) {
  return (
    <div className={styles.toast} role="status">
      <Content {...message} />
    </div>
  );
}

function Content({ icon, sentence, action, onDismiss, dismissLabel = 'Dismiss' }: ToastProps) {
  return (
    <>
      {icon}
      <span className={styles.sentence}>{sentence}</span>
      {action && <Button kind="quiet" label={action.label} onPress={action.onPress} />}
      {onDismiss && <IconButton label={dismissLabel} icon={<X aria-hidden="true" />} onPress={onDismiss} />}
    </>
  );
}
