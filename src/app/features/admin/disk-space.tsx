import { Bar } from '#app/ui/bar.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import styles from './section.module.css';

interface Props {
  /** Null while the disk cannot be asked. */
  freeBytes: number | null;
  totalBytes: number | null;
}

/** Below that share of free bytes a disk counts as nearly full. */
const lowShare = 0.1;

/** The room that is left on a disk. */
export function DiskSpace({ freeBytes, totalBytes }: Props) {
  if (freeBytes === null || totalBytes === null || totalBytes === 0)
    return <p className={styles.quiet}>Its disk does not say how much room is left.</p>;
  const share = 1 - freeBytes / totalBytes;
  const isLow = 1 - share < lowShare;
  return (
    <div className={styles.lines}>
      <Bar share={share} kind={isLow ? 'warn' : 'plain'} />
      <p className={styles.quiet}>
        {`${sizeText(freeBytes)} free of ${sizeText(totalBytes)}`}
        {isLow && ', nearly full'}
      </p>
    </div>
  );
}
