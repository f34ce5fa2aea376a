import type { ReactNode } from 'react';
import styles from './icon-button.module.css';

interface Props {
  /** The accessible name, and the tooltip. */
  label: string;
  icon: ReactNode;
  onPress: () => void;
  isDisabled?: boolean;
  className?: string | undefined;
}

export function IconButton({ label, icon, onPress, isDisabled = false, className }: Props) {
  return (
    <button
      type="button"
      className={`${styles.button} ${className ?? ''}`}
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onPress}
    >
      {icon}
    </button>
  );
}
