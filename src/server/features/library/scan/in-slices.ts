const together = 250;

/**
 * Work on many rows in portions of some milliseconds each, so that nobody who wants to write has to wait for longer.
 */
export async function inSlices<T>(all: readonly T[], work: (slice: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += together) await work(all.slice(from, from + together));
}
