import { subscribe } from 'valtio/vanilla';
import { showAppBadge } from '#app/platform/app-badge.ts';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { isAtRisk, isMoving, isUnfinished } from '#app/state/uploads/upload-facts.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { uploadNotice } from './upload-notice.ts';
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
