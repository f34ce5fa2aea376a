import { subscribe } from 'valtio/vanilla';
import { onFilesOpened } from '#app/platform/file-launches.ts';
import { clearAddressCodes } from '#app/state/address-codes.ts';
import { navigation } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { offerOpenedFiles } from '#app/state/uploads/opened-files.ts';

/** Files that come from outside of the app: opened with it, or shared into it. Returns a function that stops it. */
export function watchArrivals(): () => void {
  clearShare();
  const stops = [onFilesOpened(offerOpenedFiles), subscribe(session, clearShare), subscribe(navigation, clearShare)];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * While it stands, a reload opens Upload again: a sign-in may reload the page. What was shared is stored on the device,
 * and listed there.
 */
function clearShare(): void {
  if (session.user !== null || navigation.view !== 'upload') clearAddressCodes('share');
}
