import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';

/** Rarely needed, so its file is not in the first bytes. Without it uploads go on all the same. */
const UploadIndicator = lazyPart(
  async () => (await import('./upload-indicator.tsx')).UploadIndicator,
  () => null,
);

/** What the shell does about uploads, once they are loaded, or where files may have come from outside of the app. */
export function RunningUploads({ isUpload }: { isUpload: boolean }) {
  const { isLoaded } = useSnapshot(uploads);
  return <Suspense>{(isLoaded || isUpload) && <UploadIndicator />}</Suspense>;
}
