import type { ReactNode, Ref } from 'react';
import styles from './button.module.css';

interface Props {
  label: string;
  /** Drawn before the label. */
  icon?: ReactNode;
  /** Left out where pressing submits the form. */
  onPress?: (() => void) | undefined;
  kind?: keyof typeof classes;
  /** Submits the form that it stands in, as the Enter key does. */
  submits?: boolean;
  isDisabled?: boolean;
  /** Full width. */
  isBlock?: boolean;
  /** The accessible name, where several buttons have the same label. */
  name?: string | undefined;
  /** Keys and remotes start here. */
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
      className={`${styles.iconButtonButton} ${className ?? ''}`}
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onPress}
    >
      {icon}
    </button>
  );
}
