/** Videos have to start before the signature in their address runs out. */
const startWithinMs = 60_000;

/**
 * Whether a video can still start from a signed address, which says in `expires` until when it holds, in epoch seconds;
 * null: it is not signed.
 * @param at epoch milliseconds
 */
export function canStart(url: string, at: number): boolean | null {
  const [, expires] = /[?&]expires=(\d+)/.exec(url) ?? [];
  return expires === undefined ? null : Number(expires) * 1000 > at + startWithinMs;
}
