import { limits } from '#contract/limits.ts';
import { after } from '#device/timers.ts';
import { withinLimit } from '../platform/http/time-limit.ts';
import type { MediaLease } from './media-budget.ts';
import { mediaBudget } from './media-budget.ts';
import { addressOf, isOnDevice } from './player/video-element.ts';

/** Enough for the header and the first frames. */
const warmedBytes = limits.pieceMinBytes;

/**
 * Fetches the first bytes of a stream into the browser's cache as soon as a connection is free, for
 * five seconds at most. A saved video needs none. Returns a function that cancels it.
 * @param onEnd is called once, with whether all bytes arrived; never for a saved video
 */
export function warmBytes(url: string, onEnd: (isWarm: boolean) => void = () => {}): () => void {
  if (isOnDevice(url)) return () => {};
  const abort = new AbortController();
  const cancelLimit = { run: () => {} };
  let hasEnded = false;
  const lease: MediaLease = mediaBudget.request({
    needs: ['connection'],
    priority: 'ahead',
    granted: () => void begin(),
    revoked: () => stop(),
  });
  if (lease.isHeld) void begin();

  async function begin(): Promise<void> {
    cancelLimit.run = after(limits.preloadTimeoutSeconds * 1000, () => stop());
    try {
      const response = await fetch(addressOf(url), {
        headers: { range: `bytes=0-${warmedBytes - 1}` },
        signal: abort.signal,
      });
      await response.arrayBuffer();
      stop(response.ok);
    } catch {
      // The bytes are fetched when the video is played.
      stop();
    }
  }

  function stop(isWarm = false): void {
    if (hasEnded) return;
    hasEnded = true;
    cancelLimit.run();
    abort.abort();
    lease.release();
    onEnd(isWarm);
  }

  return () => stop();
}

/** Statuses of a proxy whose server does not answer. */
const proxyStatuses = [502, 503, 504];

/**
 * Whether our server answers for this video, with its bytes or with a refusal. A captive portal
 * answers with a page in their place, and a proxy without its server with an error.
 */
export async function isAnsweredFor(url: string, signal?: AbortSignal): Promise<boolean> {
  if (isOnDevice(url)) return false;
  const answer = await askForOneByte(url, signal);
  return answer !== null && (answer.ok ? isVideo(answer) : !proxyStatuses.includes(answer.status));
}

/** Whether the bytes of the video can be had at this address; those of a saved one lie on the device. */
export async function answersWithVideo(url: string): Promise<boolean> {
  if (isOnDevice(url)) return true;
  const answer = await askForOneByte(url);
  return answer?.ok === true && isVideo(answer);
}

function isVideo({ headers }: Response): boolean {
  return (headers.get('content-type') ?? '').startsWith('video/');
}

/** Returns null when there is no answer. */
async function askForOneByte(url: string, signal?: AbortSignal): Promise<Response | null> {
  const read = async (own: AbortSignal) => {
    const response = await fetch(url, { headers: { range: 'bytes=0-0' }, signal: own });
    await response.arrayBuffer();
    return response;
  };
  return withinLimit({ seconds: limits.preloadTimeoutSeconds, signal }, read).catch(() => null);
}
