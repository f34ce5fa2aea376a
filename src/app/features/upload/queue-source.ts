import { loadUploadQueue } from '#app/state/uploads/load-upload-queue.ts';
import type { UploadQueue } from '#app/state/uploads/upload-queue.ts';

/**
 * Does something with the queue, which is loaded for the first of it.
 * @throws when it cannot be loaded, and what the action throws
 */
export async function withQueue<Result>(action: (queue: UploadQueue) => Promise<Result>): Promise<Result> {
  return action(await loadUploadQueue());
}
