export interface Surroundings {
  /** What the other three quadrants show next: each its one. */
  claimed: readonly string[];
  /** What stands in one of them for a moment longer, while its next one is prepared. */
  leaving: readonly string[];
  /** The quadrant's own last ten, newest first. */
  recent: readonly string[];
  /** Videos that gave no picture on this page. */
  broken: readonly string[];
  /** How many videos the quadrant draws from; null before its first answer. */
  matching: number | null;
}

/**
 * The ids that a pick should avoid. A small library gives up the oldest of the recent ones before it gives up the difference between
 * the quadrants, and that before it gives a broken video once more.
 */
export function excludedIds({ claimed, leaving, recent, broken, matching }: Surroundings): string[] {
  const firm = new Set([...claimed, ...broken]);
  const free = matching === null ? Number.POSITIVE_INFINITY : matching - firm.size;
  if (free <= 0 && broken.length > 0) return [...broken];
  const wished = [...new Set([...leaving, ...recent])].filter((id) => !firm.has(id));
  return [...firm, ...wished.slice(0, roomAmong(free, wished.length))];
}

/** How many of the free videos may be avoided: one stays to be drawn. Where not all fit, two stay, or chance would become a fixed round. */
function roomAmong(free: number, wished: number): number {
  if (wished < free) return wished;
  return free <= 2 ? Math.max(0, free - 1) : free - 2;
}

/** Whether another quadrant has this video although there is one for each that gives a picture. With fewer than four they may repeat. */
export function isTakenNeedlessly(id: string, { claimed, broken, matching }: Pick<Surroundings, 'claimed' | 'broken'> & { matching: number }): boolean {
  return claimed.includes(id) && new Set([...claimed, ...broken]).size < matching;
}
