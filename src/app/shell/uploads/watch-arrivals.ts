import { proxy, subscribe } from 'valtio/vanilla';
import { showRejected } from '#app/features/upload/alerts-store.ts';
import { onFilesOpened } from '#app/platform/file-launches.ts';
import { clearAddressCodes, readAddressCode } from '#app/state/address-codes.ts';
import { navigation } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { offerOpenedFiles } from '#app/state/uploads/opened-files.ts';
import type { StoredBatch } from '#device/uploads/batch-rows.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

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
