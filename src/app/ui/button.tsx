import type { ReactNode, Ref } from 'react';
import styles from './button.module.css';

interface Props {
  label: string;
  /** Shown before the label. */
  icon?: ReactNode;
  /** Omitted when the button submits a form. */
  onPress?: (() => void) | undefined;
  kind?: keyof typeof classes;
  /** Submits its form, as the Enter key does. */
  submits?: boolean;
  isDisabled?: boolean;
  /** The button has the full width. */
  isBlock?: boolean;
  /** The accessible name, where several buttons have the same label. */
  name?: string | undefined;
  /** Key and remote focus starts here. */
  isFirst?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

const classes = {
  primary: styles.primary,
  tonal: styles.tonal,
  line: styles.line,
  quiet: styles.quiet,
  danger: styles.danger,
  'danger-fill': styles.dangerFill,
};

export function Button({
  label,
  icon,
  onPress,
  kind = 'primary',
  submits = false,
  isDisabled = false,
  isBlock = false,
  name,
  isFirst = false,
  ref,
}: Props) {
  return (
    <button
      ref={ref}
      type={submits ? 'submit' : 'button'}
      className={`${styles.button} ${classes[kind]} ${isBlock ? styles.block : ''}`}
      aria-label={name}
      data-focus-first={isFirst || undefined}
      disabled={isDisabled}
      onClick={onPress}
    >
      {icon !== undefined && <span className={styles.icon}>{icon}</span>}
      {label}
    </button>
  );
}

interface IconButtonProps {
  /** The accessible name, and the tooltip. */
  label: string;
  icon: ReactNode;
  onPress: () => void;
  isDisabled?: boolean;
  className?: string | undefined;
}

export function IconButton({ label, icon, onPress, isDisabled = false, className }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`${styles.iconButton} ${className ?? ''}`}
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onPress}
    >
      {icon}
    </button>
  );
}
