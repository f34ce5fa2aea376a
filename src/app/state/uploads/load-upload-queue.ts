import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import type { UploadQueue } from './upload-queue.ts';

/**
 * Loads what sends files, and starts it.
 * @throws where it cannot be loaded in time
 */
export function loadUploadQueue(): Promise<UploadQueue> {
  return loadWithinLimit(async () => {
    const { startUploads } = await import('./upload-session.ts');
    const { storedQueue } = await import('./stored-queue.ts');
    startUploads();
    return storedQueue;
  });
}
