import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { FileWindow } from '#contract/rules/file-windows.ts';

/** Larger reads gain little, and four players of a slow reader hold this much each. */
const chunkBytes = 256 * 1024;

/**
 * Writes a window of a file into an answer whose head is sent, as fast as the client takes it. Ends early when the client goes away. When the
 * file turns out to be shorter than it was, or cannot be read, the connection is cut: the length is promised already, and nothing else may fill it.
 */
export async function sendBytes(response: ServerResponse, handle: FileHandle, window: FileWindow): Promise<void> {
  try {
    for (let at = window.start; at <= window.end && !response.destroyed; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(Math.min(chunkBytes, window.end - at + 1)), { position: at });
      if (bytesRead === 0) throw new RangeError('The file became shorter.');
      at += bytesRead;
      if (response.destroyed) return;
      if (!response.write(buffer.subarray(0, bytesRead))) await drained(response);
    }
    response.end();
  } catch {
    response.destroy();
  }
}

/** Waits until the client has taken what was written, or is gone. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const gone = new AbortController();
  const onClose = () => gone.abort();
  response.once('close', onClose);
  try {
    await once(response, 'drain', { signal: gone.signal });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off('close', onClose);
  }
}
