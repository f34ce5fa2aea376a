import { proxy } from 'valtio/vanilla';

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
