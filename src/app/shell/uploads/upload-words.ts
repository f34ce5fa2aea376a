import type { Snapshot } from 'valtio';
import { isMoving, isUnfinished, waitsFor } from '#app/state/uploads/upload-facts.ts';
import type { uploads } from '#app/state/uploads/uploads-state.ts';
import { countText } from '#app/ui/count-text.ts';
import type { UploadNotice, UploadTone } from './upload-notice.ts';

type Uploads = Pick<Snapshot<typeof uploads>, 'rows' | 'shared' | 'secondsLeft'>;

/** What is said of the files that are neither uploaded nor failed: of the first of these that there are. */
const standings: ReadonlyArray<{
  tone: UploadTone;
  isMeant: (row: Uploads['rows'][number]) => boolean;
  toWords: (files: string, count: number) => string;
}> = [
  {
    tone: 'warn',
    isMeant: ({ status }) => waitsFor(status, 'network'),
    toWords: (files, count) => `${files} ${count === 1 ? 'waits' : 'wait'} for the network`,
  },
  {
    tone: 'warn',
    isMeant: ({ status }) => waitsFor(status, 'wifi'),
    toWords: (files, count) => `${files} ${count === 1 ? 'waits' : 'wait'} for Wi-Fi`,
  },
  {
    tone: 'plain',
    isMeant: ({ status }) => waitsFor(status, 'other-tab'),
    toWords: (files) => `${files} in another tab`,
  },
  {
    tone: 'plain',
    isMeant: ({ status }) => status.kind === 'sent' || status.kind === 'processing',
    toWords: (files) => `${files} in processing`,
  },
  {
    tone: 'warn',
    isMeant: ({ status }) => waitsFor(status, 'start', 'pick-again', 'permission', 'sign-in'),
    toWords: (files, count) => `${files} ${count === 1 ? 'waits' : 'wait'} for you`,
  },
  {
    tone: 'plain',
    isMeant: ({ status }) => waitsFor(status, 'paused'),
    toWords: (files) => `${files} paused`,
  },
];

/** What is shown of all uploads in a few words; those that have failed first. */
export function noticeOf(state: Uploads): UploadNotice {
  const failed = state.rows.filter(({ status }) => status.kind === 'failed').length;
  const shared = state.shared.reduce((sum, { names }) => sum + names.length, 0);
  const count = state.rows.filter(isUnfinished).length + shared + failed;
  const rest = restOf(state) ?? sharedOf(shared);
  if (failed === 0) return { count, words: '', tone: 'plain', ...rest };
  const words = `${countText(failed, 'file')} failed`;
  return { count, words: rest ? `${words}\u00a0· ${rest.words}` : words, tone: 'danger' };
}

function restOf({ rows, secondsLeft }: Uploads): Pick<UploadNotice, 'words' | 'tone'> | null {
  const moving = rows.filter(isMoving).length;
  if (moving > 0) {
    const files = countText(moving, 'file');
    return { words: secondsLeft === null ? files : `${files}, ${leftText(secondsLeft)}`, tone: 'plain' };
  }
  for (const { tone, isMeant, toWords } of standings) {
    const { length } = rows.filter(isMeant);
    if (length > 0) return { words: toWords(countText(length, 'file'), length), tone };
  }
  return null;
}

function sharedOf(count: number): Pick<UploadNotice, 'words' | 'tone'> | null {
  return count === 0 ? null : { words: `${countText(count, 'shared file')} to add`, tone: 'warn' };
}

/** In whole minutes, so that the words seldom change: '3 min left', '2 h 5 min left'. */
function leftText(seconds: number): string {
  if (seconds < 60) return 'less than 1 min left';
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min left`;
  const rest = minutes % 60;
  const hours = `${Math.floor(minutes / 60)} h`;
  return rest === 0 ? `${hours} left` : `${hours} ${rest} min left`;
}
