import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Bar } from '#app/ui/bar.tsx';
import { filesFailed } from '#contract/failures.ts';
import styles from './list-summary.module.css';
import { leftText } from './upload-figures.ts';
import { summaryOf } from './upload-summary.ts';

/** How far all files are; nothing before the first of them was started. */
export function ListSummary() {
  const { rows, secondsLeft } = useSnapshot(uploads);
  const { total, completed, failed, ready, percent, isRunning } = summaryOf(rows);
  if (ready === total) return null;
  return (
    <div className={styles.summary}>
      <div className={styles.line}>
        <h2 className={styles.count}>{`${completed} of ${total} completed`}</h2>
        <span className={styles.percent}>{`${percent}%`}</span>
      </div>
      <Bar share={percent / 100} label="All files" />
      {isRunning && secondsLeft !== null && <p className={styles.left}>{leftText(secondsLeft)}</p>}
      {failed > 0 && (
        // Each failure is announced by the shell.
        <p className={styles.failed}>{filesFailed(failed)}</p>
      )}
    </div>
  );
}
