import styles from './skeleton.module.css';

/**
 * A placeholder while loading; it appears late, so that a quick reply shows none. The caller's class sets size and
 * background.
 */
export function Skeleton({ className }: { className: string | undefined }) {
  return <div className={`${styles.skeleton} ${className}`} />;
}
