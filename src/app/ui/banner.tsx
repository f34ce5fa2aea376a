import type { ReactNode } from 'react';
import styles from './banner.module.css';

/** One sentence across the page, under its title. */
export function Banner({ icon, sentence }: { icon: ReactNode; sentence: string }) {
  return (
    <div className={styles.banner} role="status">
      {icon}
      <span>{sentence}</span>
    </div>
  );
}
