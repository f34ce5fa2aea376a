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
 * While files move: the screen stays on, a new version is not offered, and closing the page asks first where a file would
 * be lost. The app's icon counts what is not finished. Returns a function that stops it.
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

/** Only while it is needed: a page with this listener is not kept for the way back. */
function askBeforeUnload(isAsking: boolean): void {
  if (isAsking) window.addEventListener('beforeunload', preventUnload);
  else window.removeEventListener('beforeunload', preventUnload);
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
  // Engines before Chromium 119 ask only when it is set.
  event.returnValue = true;
}

function updateBadge(count: number): void {
  if (count === badgeCount) return;
  badgeCount = count;
  showAppBadge(count);
}

/** The device had no room for what was shared into the app. */
export const arrivals = proxy({ isShareLost: false });

/** Files that come from outside of the app: opened with it, or shared into it. Returns a function that stops it. */
export function watchArrivals(): () => void {
  void checkShare(readAddressCode('share'));
  clearShare();
  const stops = [onFilesOpened(offerOpenedFiles), subscribe(session, clearShare), subscribe(navigation, clearShare)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The worker has opened the page also where nothing could be stored. */
async function checkShare(id: string | null): Promise<void> {
  if (id === null) return;
  const stored = await uploadStore.read(id).catch(() => null);
  if (stored === null) arrivals.isShareLost = true;
  else if (stored.batch.userId !== null && stored.batch.rejections.length > 0) await showRefused(stored);
}

/** What nobody owns yet says it when somebody adds it. */
async function showRefused({ batch: { id, rejections }, uploads }: StoredBatch): Promise<void> {
  showRejected(rejections);
  // Without a file there is nothing to send; a reload still finds that it was stored.
  const end = uploads.length === 0 && ({ state: 'over' } as const);
  await uploadStore.updateBatch(id, { rejections: [], ...end }).catch(ignoreFullDisk);
}

/** A reload says them again. */
function ignoreFullDisk(): void {}

/**
 * While it stands, a reload opens Upload again: a sign-in may reload the page. What was shared is stored on the device,
 * and listed there.
 */
function clearShare(): void {
  if (session.user !== null || navigation.view !== 'upload') clearAddressCodes('share');
}
