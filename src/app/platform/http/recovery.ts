import { createSignal } from '../signal.ts';

/**
 * Raised when the server may answer again: the browser came online, a revision changed, a poll of
 * the status or a probe was answered. Waits for a retry end, and overdue requests are sent again.
 */
export const recovered = createSignal();

/**
 * Seconds between two probes of the server; each is multiplied by a random factor from a half to
 * two.
 */
const waitSeconds = [1, 2, 4, 8, 30];

/**
 * Milliseconds until the next probe. Half a minute after a thousand clients have lost the server at
 * the same moment, they probe it less than 50 times a second in total.
 * @param failures probes without an answer so far, from 0
 * @param chance 0 to 1, at random
 */
export function reconnectWaitMs(failures: number, chance: number): number {
  const seconds = waitSeconds[Math.min(failures, waitSeconds.length - 1)] as number;
  return seconds * 1000 * (0.5 + chance * 1.5);
}
