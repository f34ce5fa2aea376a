import { createSignal } from '../signal.ts';

/**
 * The server may answer again after it did not: the browser came online, a revision changed, a poll of the status or a
 * probe was answered. Retry waits end, and overdue requests are sent again.
 */
export const recovered = createSignal();

/** Seconds between two questions whether the server is back; half of each to twice as many, at random. */
const waitSeconds = [1, 2, 4, 8, 30];

/**
 * Milliseconds until the next one. A thousand clients that lost the server at the same moment ask for it, half a minute
 * later, less than 50 times a second, and so come back.
 * @param failures questions without an answer so far, from 0
 * @param chance 0 to 1, at random
 */
export function reconnectWaitMs(failures: number, chance: number): number {
  const seconds = waitSeconds[Math.min(failures, waitSeconds.length - 1)] as number;
  return seconds * 1000 * (0.5 + chance * 1.5);
}
