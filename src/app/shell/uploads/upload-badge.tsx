import { useSnapshot } from 'valtio';
import styles from './upload-badge.module.css';
import { uploadNotice } from './upload-notice.ts';

const tones = { plain: '', warn: styles.warn, danger: styles.danger };

/** In the tab of a phone's menu: how many files are not uploaded; in words for screen readers. */
export function UploadCount() {
  const { count, words, tone } = useSnapshot(uploadNotice);
  if (count === 0) return null;
  return (
    <>
      <span className={`${styles.count} ${tones[tone]}`} aria-hidden="true">
        {count > 99 ? '99+' : count}
      </span>
      <span className="visually-hidden">, {words}</span>
    </>
  );
}

/** In the entry of the side menu, under its label. */
export function UploadLine() {
  const { count, words, tone } = useSnapshot(uploadNotice);
  return count > 0 && <span className={`${styles.line} ${tones[tone]}`}>{words}</span>;
}
