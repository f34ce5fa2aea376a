import { proxy, subscribe } from 'valtio/vanilla';
import { showRejected } from '#app/features/upload/upload-store.ts';
import { onFilesOpened } from '#app/platform/file-access.ts';
import { showAppBadge } from '#app/platform/later-capabilities.ts';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { clearAddressCodes, navigation, readAddressCode } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { isAtRisk, isMoving, isUnfinished, uploads } from '#app/state/uploads/uploads-state.ts';
import { offerOpenedFiles } from '#app/state/view-requests.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { uploadNotice } from './upload-notice.tsx';
import { noticeOf } from './upload-words.ts';

let badgeCount = 0;

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
  updateBadge(rows.filter(isUnfinished).length);
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

function updateBadge(count: number): void {
  if (count === badgeCount) return;
  badgeCount = count;
  showAppBadge(count);
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
