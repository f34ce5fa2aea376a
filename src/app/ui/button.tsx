import type { Ref } from 'react';
import styles from './button.module.css';

interface Props {
  label: string;
  onPress: () => void;
  kind?: keyof typeof classes;
  ref?: Ref<HTMLButtonElement>;
}

const classes = { primary: styles.primary, line: styles.line, quiet: styles.quiet };

export function Button({ label, onPress, kind = 'primary', ref }: Props) {
  return (
    <button ref={ref} type="button" className={`${styles.button} ${classes[kind]}`} onClick={onPress}>
      {label}
    </button>
  );
}
