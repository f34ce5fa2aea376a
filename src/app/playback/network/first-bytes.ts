import { withinLimit } from '#app/platform/http/time-limit.ts';
import { limits } from '#contract/limits.ts';
import { addressOf } from './stream-address.ts';

/**
 * Whether a stream's first bytes can be had, from the server or the browser's cache. Without them a media element
 * reports that it cannot play the video, and does not say that the network is to blame.
 */
export async function hasFirstBytes(url: string, signal: AbortSignal): Promise<boolean> {
  const headers = { range: `bytes=0-${limits.pieceMinBytes - 1}` };
  const read = async (own: AbortSignal) => {
    const response = await fetch(addressOf(url), { headers, signal: own });
    await response.arrayBuffer();
    return response.ok;
  };
  return withinLimit({ seconds: limits.preloadTimeoutSeconds, signal }, read).catch(() => false);
}
