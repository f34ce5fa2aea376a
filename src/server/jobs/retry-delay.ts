const firstDelayMs = 10_000;
const longestDelayMs = 3_600_000;

/**
 * How long to wait before the next attempt: four times as long each time, at most an hour.
 * @param attempts how many there were, from 1
 */
export function retryDelayMs(attempts: number): number {
  return Math.min(firstDelayMs * 4 ** (attempts - 1), longestDelayMs);
}
