import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import styles from './upload-notice.module.css';

/** `warn`: files wait for the network or for the viewer; `danger`: some have failed. */
export type UploadTone = 'plain' | 'warn' | 'danger';

export interface UploadNotice {
  /** Number of files that are not uploaded; at 0 nothing is shown. */
  count: number;
  /** A short text, such as '2 files, 3 min left'. */
  words: string;
  tone: UploadTone;
}

/** The text about uploads in menus and pill. `watchUploads` keeps it current. */
export const uploadNotice = proxy<UploadNotice>({ count: 0, words: '', tone: 'plain' });

const tones = { plain: '', warn: styles.warn, danger: styles.danger };

/**
 * The number of files that are not uploaded, in the tab of a phone's menu; screen readers get the
 * text.
 */
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

/** The text about uploads, in the entry of the side menu under its label. */
export function UploadLine() {
  const { count, words, tone } = useSnapshot(uploadNotice);
  return count > 0 && <span className={`${styles.line} ${tones[tone]}`}>{words}</span>;
}
