import styles from './skeleton.module.css';

/** Where something will stand, after a moment: a quick answer shows none. Whoever draws it gives it its size and ground. */
export function Skeleton({ className }: { className: string | undefined }) {
  return <div className={`${styles.skeleton} ${className}`} />;
}
