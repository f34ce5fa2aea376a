import { CircleAlert, Upload } from 'lucide-react';
import type { CSSProperties } from 'react';
import { useEffect, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy, subscribe } from 'valtio/vanilla';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { showRejected } from '#app/features/upload/upload-store.ts';
import { onFilesOpened } from '#app/platform/file-access.ts';
import { showAppBadge } from '#app/platform/later-capabilities.ts';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { clearAddressCodes, navigation, openView, readAddressCode } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { outboxNotice } from '#app/state/unsent.ts';
import { isAtRisk, isMoving, isUnfinished, uploads, waitsFor } from '#app/state/uploads/uploads-state.ts';
import { offerOpenedFiles } from '#app/state/view-requests.ts';
import { Toast } from '#app/ui/messages.tsx';
import { countText } from '#app/ui/texts.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { useScreenForm } from '../ui/store-hooks.ts';
import type { UploadNotice, UploadTone } from './menu/menu-entries.tsx';
import { uploadNotice } from './menu/menu-entries.tsx';
import styles from './upload-indicator.module.css';

const tones = { plain: '', warn: styles.warn, danger: styles.danger };

/**
 * The state of uploads, over every view but Upload, and for screen readers. Phones and TVs show it
 * in their menu.
 */
export function UploadIndicator() {
  const { view } = useSnapshot(navigation);
  const { count } = useSnapshot(uploadNotice);
  const form = useScreenForm();
  useEffect(watchUploads, []);
  useEffect(watchArrivals, []);
  const isDrawn = count > 0 && view !== 'upload' && form !== 'phone' && form !== 'tv';
  return (
    <>
      <Announcements />
      <LostShare />
      {isDrawn && (view === 'feed' ? <FeedPill /> : <Pill className={styles.rail} />)}
    </>
  );
}

/**
 * The toast about shared files that were lost. It stays until it is dismissed, because nothing else
 * mentions them.
 */
function LostShare() {
  const { isShareLost } = useSnapshot(arrivals);
  const dismiss = () => void Object.assign(arrivals, { isShareLost: false });
  return (
    isShareLost && (
      <Toast icon={<CircleAlert aria-hidden="true" />} sentence={failures.sharedFilesLost} onDismiss={dismiss} />
    )
  );
}

function Announcements() {
  const [said, setSaid] = useState({ sentence: '', number: 0 });
  useEffect(() => {
    const announcer = new UploadAnnouncer();
    const update = () => {
      const sentences = announcer.update(uploads.rows);
      if (sentences.length > 0) setSaid(({ number }) => ({ sentence: sentences.join(' '), number: number + 1 }));
    };
    update();
    return subscribe(uploads, update);
  }, []);
  return (
    <div role="status" className="visually-hidden">
      {/* A new element is announced even when its text has not changed. */}
      <span key={said.number}>{said.sentence}</span>
    </div>
  );
}

/** The pill over the feed, shown with the controls, and as long as it has the focus. */
function FeedPill() {
  const { active } = useSnapshot(controls);
  const { isLoaded: hasOutbox } = useSnapshot(outboxNotice);
  const [isFocused, setFocused] = useState(false);
  if (active === null && !isFocused) return null;
  // Shifts the pill by its own height, below the pills of the offline and outbox notices; no
  // controls are there.
  const style = { transform: `translate(-50%, ${hasOutbox ? 220 : 110}%)` };
  return <Pill className={styles.feed} style={style} onFocusChange={setFocused} />;
}

interface PillProps {
  className: string | undefined;
  style?: CSSProperties;
  onFocusChange?: (isFocused: boolean) => void;
}

function Pill({ className, style, onFocusChange }: PillProps) {
  const { words, tone } = useSnapshot(uploadNotice);
  return (
    <aside aria-label="Uploads" className={className} style={style}>
      <button
        type="button"
        className={`${styles.pill} ${tones[tone]}`}
        onClick={() => openView('upload')}
        onFocus={() => onFocusChange?.(true)}
        onBlur={() => onFocusChange?.(false)}
      >
        <Upload aria-hidden="true" />
        <span>{words}</span>
      </button>
    </aside>
  );
}

/**
 * Follows the uploads. While files upload, the screen stays on, a new version is not offered, and
 * closing the page asks for confirmation if a file would be lost. The app's badge shows the number
 * of unfinished files. Returns a function that stops it.
 */
export function watchUploads(): () => void {
  update();
  const stop = subscribe(uploads, update);
  return () => {
    stop();
    keepScreenOn('uploading', false);
    askBeforeUnload(false);
    appUpdate.isDeferred = false;
  };
}

function update(): void {
  const { rows } = uploads;
  const isAnyMoving = rows.some(isMoving);
  Object.assign(uploadNotice, noticeOf(uploads));
  keepScreenOn('uploading', isAnyMoving);
  appUpdate.isDeferred = isAnyMoving;
  askBeforeUnload(rows.some(isAtRisk));
  showAppBadge('uploads', rows.filter(isUnfinished).length);
}

/**
 * The listener is added only while it is needed: a page with it is excluded from the back/forward
 * cache.
 */
function askBeforeUnload(isAsking: boolean): void {
  if (isAsking) window.addEventListener('beforeunload', preventUnload);
  else window.removeEventListener('beforeunload', preventUnload);
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
  // Engines before Chromium 119 ask only when `returnValue` is set.
  event.returnValue = true;
}

/** `isShareLost`: the device had no room for files shared into the app. */
export const arrivals = proxy({ isShareLost: false });

/**
 * Handles files from outside the app: opened with it, or shared into it. Returns a function that
 * stops it.
 */
export function watchArrivals(): () => void {
  void checkShare(readAddressCode('share'));
  clearShare();
  const stops = [onFilesOpened(offerOpenedFiles), subscribe(session, clearShare), subscribe(navigation, clearShare)];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Checks whether shared files were stored: the service worker opens the page even when they were
 * not.
 */
async function checkShare(id: string | null): Promise<void> {
  if (id === null) return;
  const stored = await uploadStore.read(id).catch(() => null);
  if (stored === null) arrivals.isShareLost = true;
  else if (stored.batch.userId !== null && stored.batch.rejections.length > 0) await showRefused(stored);
}

/**
 * Shows the rejected files of a batch. A batch without an owner shows them when someone adds it.
 */
async function showRefused({ batch: { id, rejections }, uploads }: StoredBatch): Promise<void> {
  showRejected(rejections);
  // A batch without files has nothing to send; it is kept as over, so that a reload does not report
  // it as lost.
  const end = uploads.length === 0 && ({ state: 'over' } as const);
  await uploadStore.updateBatch(id, { rejections: [], ...end }).catch(ignoreFullDisk);
}

/** The rejections stay stored, and a reload shows them again. */
function ignoreFullDisk(): void {}

/**
 * Removes the share code from the address once it is not needed. Until then a reload, such as after
 * a sign-in, opens Upload again, where the shared files stored on the device are listed.
 */
function clearShare(): void {
  if (session.user !== null || navigation.view !== 'upload') clearAddressCodes('share');
}

type Uploads = Pick<Snapshot<typeof uploads>, 'rows' | 'shared' | 'secondsLeft'>;

/** Texts for files that are neither uploaded nor failed; the first one that applies is shown. */
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

/** Summarizes all uploads in a few words, the failed ones first. */
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

/**
 * Remaining time in whole minutes, so that the text seldom changes: '3 min left', '2 h 5 min left'.
 */
function leftText(seconds: number): string {
  if (seconds < 60) return 'less than 1 min left';
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min left`;
  const rest = minutes % 60;
  const hours = `${Math.floor(minutes / 60)} h`;
  return rest === 0 ? `${hours} left` : `${hours} ${rest} min left`;
}

type Rows = Snapshot<typeof uploads>['rows'];

type Kind = Rows[number]['status']['kind'];

/**
 * Announces when a batch of files starts to upload, when files fail, and when a batch is complete.
 */
export class UploadAnnouncer {
  /** The status of each file at the last change, by id. */
  private known = new Map<string, Kind>();
  private readonly begun = new Set<string>();

  /** @returns the sentences to announce after a change */
  update(rows: Rows): string[] {
    const sentences = [...this.failuresIn(rows), ...this.newsOfBatches(rows)];
    this.known = new Map(rows.map(({ id, status }) => [id, status.kind]));
    return sentences;
  }

  private failuresIn(rows: Rows): string[] {
    const failed = rows.filter((row) => this.hasBecome(row, 'failed'));
    if (failed.length > 1) return [`${failures.filesFailed(failed.length)}.`];
    return failed.map(({ name }) => notices.uploadFailed(name));
  }

  private newsOfBatches(rows: Rows): string[] {
    const ids = [...new Set(rows.map(({ batchId }) => batchId))];
    return ids.flatMap((id) =>
      this.newsOf(
        id,
        rows.filter(({ batchId }) => batchId === id),
      ),
    );
  }

  private newsOf(batchId: string, batch: Rows): string[] {
    if (!this.begun.has(batchId) && batch.some(({ status }) => status.kind === 'uploading')) {
      this.begun.add(batchId);
      return [notices.uploadsBegun(batch.filter(isUnfinished).length)];
    }
    const isThrough = !batch.some(isUnfinished) && batch.some((row) => this.hasBecome(row, 'completed'));
    const completed = batch.filter(({ status }) => status.kind === 'completed').length;
    if (!isThrough) return [];
    return [
      completed < batch.length
        ? notices.someVideosUploaded(completed, batch.length)
        : notices.videosUploaded(completed),
    ];
  }

  /**
   * A row seen for the first time does not count: its change happened before, or in another tab.
   */
  private hasBecome({ id, status }: Rows[number], kind: Kind): boolean {
    const before = this.known.get(id);
    return status.kind === kind && before !== undefined && before !== kind;
  }
}
