/** What one quadrant does with its part of the network, in kilobits per second. */
export interface Sharer {
  /** The expanded one goes first, then those that sound. */
  priority: 'expanded' | 'audible' | 'other';
  /** Its lightest encoding takes that much, … */
  least: number;
  /** … and what fills it that much: more is of no use. */
  useful: number;
}

/**
 * Shares out what the network gives the page: each its lightest encoding, then what it can use, in the order of
 * priority, and those of the same priority equally. More for all is never less for one.
 * @returns in the order of the sharers
 */
export function shareKbps(total: number, sharers: readonly Sharer[]): number[] {
  const least = sharers.reduce((sum, sharer) => sum + sharer.least, 0);
  if (total <= least) return sharers.map((sharer) => (sharer.least / least) * total);
  let left = total - least;
  const shares = sharers.map((sharer) => sharer.least);
  for (const priority of ['expanded', 'audible', 'other'] as const) {
    const places = sharers.map((_, place) => place).filter((place) => sharers[place]?.priority === priority);
    const wishes = places.map((place) => wishOf(sharers[place]));
    const given = shareEqually(left, wishes);
    for (const [at, place] of places.entries()) shares[place] = (shares[place] ?? 0) + (given[at] ?? 0);
    left -= given.reduce((sum, part) => sum + part, 0);
  }
  return shares.map((share) => share + left / shares.length);
}

function wishOf(sharer: Sharer | undefined): number {
  return sharer ? Math.max(0, sharer.useful - sharer.least) : 0;
}

/** Who wants less than an equal part leaves the rest to the others. */
function shareEqually(total: number, wishes: readonly number[]): number[] {
  const given = wishes.map(() => 0);
  const smallestFirst = wishes.map((_, place) => place).sort((a, b) => (wishes[a] ?? 0) - (wishes[b] ?? 0));
  let left = total;
  for (const [at, place] of smallestFirst.entries()) {
    const part = Math.min(wishes[place] ?? 0, left / (wishes.length - at));
    given[place] = part;
    left -= part;
  }
  return given;
}
