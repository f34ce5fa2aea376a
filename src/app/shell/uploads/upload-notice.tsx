import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import styles from './upload-notice.module.css';

/** `warn`: files wait for the network or for somebody; `danger`: some have failed. */
export type UploadTone = 'plain' | 'warn' | 'danger';

export interface UploadNotice {
  /** Files that are not uploaded; 0: nothing is shown. */
  count: number;
  /** '2 files, 3 min left'. */
  words: string;
  tone: UploadTone;
}

/** What menus and pill say about uploads. `watchUploads` keeps it current. */
export const uploadNotice = proxy<UploadNotice>({ count: 0, words: '', tone: 'plain' });

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
