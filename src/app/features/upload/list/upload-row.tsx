import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Bar } from '#app/ui/bar.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { RowButtons } from './row-buttons.tsx';
import { RowIcon } from './row-icon.tsx';
import styles from './upload-row.module.css';
import { hasBar, percentWords, sizeWords, wordsOf } from './upload-words.ts';

interface Props {
  /** Its place in the list. It reads its own row alone, so that only what changes is drawn again. */
  index: number;
  /** Any file is being sent. */
  isMoving: boolean;
}

const tones = { plain: '', quiet: styles.quiet, warn: styles.warn, danger: styles.danger, ok: styles.ok };

/** A file with its state (language: progress row). */
export function UploadRowView({ index, isMoving }: Props) {
  const row = useSnapshot(uploads).rows[index];
  if (row === undefined) return null;
  const { icon, tone, line } = wordsOf(row);
  const isBarShown = hasBar(row);
  return (
    <li className={`${styles.row} ${tones[tone]}`}>
      <RowIcon name={icon} />
      <div className={styles.main}>
        <div className={styles.top}>
          <p className={styles.name}>
            <bdi>{row.name}</bdi>
          </p>
          <span className={styles.size}>{sizeWords(row, sizeText)}</span>
        </div>
        {isBarShown && (
          <div className={styles.bar}>
            <Bar share={row.acknowledgedBytes / row.size} kind={tone === 'warn' ? 'warn' : 'plain'} label={row.name} />
          </div>
        )}
        <div className={styles.bottom}>
          <p className={styles.line}>{line}</p>
          {isBarShown && <span className={styles.percent}>{percentWords(row)}</span>}
        </div>
      </div>
      <RowButtons row={row} isMoving={isMoving} />
    </li>
  );
}
