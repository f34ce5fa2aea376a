/** How one connection takes what the system holds for it. */
export interface SocketDrain {
  /** Bytes at the last check. */
  held: number;
  /** Bytes that were acknowledged until the last check. */
  taken: number;
  /** Checks in a row at which something was held. */
  checks: number;
  /** Of them those, the last ones in a row, at which nothing had been taken since the one before. */
  idleChecks: number;
  /** As `held` and `taken` were when the present time began. */
  heldThen: number;
  takenThen: number;
}

export function startDrain(): SocketDrain {
  return { held: 0, taken: 0, checks: 0, idleChecks: 0, heldThen: 0, takenThen: 0 };
}

/** @param taken bytes acknowledged so far; `held` is as of now already */
export function countCheck(drain: SocketDrain, taken: number): void {
  if (drain.held === 0) {
    drain.checks = 0;
    drain.idleChecks = 0;
    return;
  }
  if (drain.checks === 0) beginTime(drain, taken);
  drain.idleChecks = drain.checks > 0 && taken === drain.taken ? drain.idleChecks + 1 : 0;
  drain.taken = taken;
  drain.checks += 1;
}

/**
 * Once in so many checks: whether less was taken than has to be, although it was there.
 * @param minBytes what has to be taken of more
 */
export function hasStopped(drain: SocketDrain, checks: number, minBytes: number): boolean {
  if (drain.checks <= checks) return false;
  const hasTaken = drain.taken - drain.takenThen;
  const isStopped = hasTaken < Math.min(minBytes, drain.heldThen);
  beginTime(drain, drain.taken);
  drain.checks = 1;
  return isStopped;
}

function beginTime(drain: SocketDrain, taken: number): void {
  drain.heldThen = drain.held;
  drain.takenThen = taken;
}
