const mib = 1024 ** 2;

export const minPartBytes = 256 * 1024;
/** A part is read into memory where the bytes come from a copy of ours. */
export const maxPartBytes = 64 * mib;
export const firstPartBytes = 2 * mib;

/** A part takes about so long: what is confirmed moves, and the pause between two requests counts little. */
const partSeconds = 5;

/**
 * How many bytes the next request carries: what the link has sent in `partSeconds`, at most twice as much as before.
 * @param bytes of the request before, which took `ms`
 */
export function nextPartBytes(bytes: number, ms: number, max: number): number {
  const wanted = (bytes / Math.max(ms, 1)) * partSeconds * 1000;
  const grown = Math.min(wanted, bytes * 2, max);
  return Math.max(Math.round(grown), Math.min(minPartBytes, max));
}

/** The next smaller bound after a proxy has refused a body. @returns null: none is left */
export function shrinkPart(bound: number): number | null {
  if (bound <= minPartBytes) return null;
  return bound > firstPartBytes ? firstPartBytes : Math.max(minPartBytes, bound / 4);
}
