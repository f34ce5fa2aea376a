import type { ComponentProps } from 'react';
import styles from './range.module.css';

/** A native slider, styled as a line with a thumb. */
export function Range({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input {...props} type="range" className={`${styles.range} ${className}`} />;
}
