/** How one connection takes what the system holds for it. */
export interface Taking {
  /** Bytes at the last look. */
  held: number;
  /** Bytes that were acknowledged until the last look. */
  taken: number;
  /** Looks in a row at which something was held. */
  looks: number;
  /** Of them those, the last ones in a row, at which nothing had been taken since the one before. */
  idleLooks: number;
  /** As `held` and `taken` were when the present time began. */
  heldThen: number;
  takenThen: number;
}

export function startTaking(): Taking {
  return { held: 0, taken: 0, looks: 0, idleLooks: 0, heldThen: 0, takenThen: 0 };
}

/** @param taken bytes acknowledged so far; `held` is as of now already */
export function countLook(taking: Taking, taken: number): void {
  if (taking.held === 0) {
    taking.looks = 0;
    taking.idleLooks = 0;
    return;
  }
  if (taking.looks === 0) beginTime(taking, taken);
  taking.idleLooks = taking.looks > 0 && taken === taking.taken ? taking.idleLooks + 1 : 0;
  taking.taken = taken;
  taking.looks += 1;
}

/**
 * Once in so many looks: whether less was taken than has to be, although it was there.
 * @param leastBytes what has to be taken of more
 */
export function hasStopped(taking: Taking, looks: number, leastBytes: number): boolean {
  if (taking.looks <= looks) return false;
  const hasTaken = taking.taken - taking.takenThen;
  const isStopped = hasTaken < Math.min(leastBytes, taking.heldThen);
  beginTime(taking, taking.taken);
  taking.looks = 1;
  return isStopped;
}

function beginTime(taking: Taking, taken: number): void {
  taking.heldThen = taking.held;
  taking.takenThen = taken;
}
