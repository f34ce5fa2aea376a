import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import type { UploadQueue } from './uploads-state.ts';

/**
 * Runs an action on the queue, which is loaded at first use.
 * @throws when it cannot be loaded, and what the action throws
 */
export async function withQueue<Result>(action: (queue: UploadQueue) => Promise<Result>): Promise<Result> {
  return action(await loadUploadQueue());
}

/**
 * Loads the upload queue, and starts it.
 * @throws when it cannot be loaded in time
 */
export function loadUploadQueue(): Promise<UploadQueue> {
  return loadWithinLimit(async () => {
    const { startUploads } = await import('./upload-session.ts');
    const { storedQueue } = await import('./stored-queue.ts');
    startUploads();
    return storedQueue;
  });
}
