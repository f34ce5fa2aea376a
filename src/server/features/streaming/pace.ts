/**
 * How much is read for a client at a time. Whoever goes on taking it gets more, so that what lies in memory follows
 * what flows, not the number of clients: a client that never reads is given little before the system's own buffers are
 * full.
 */
export interface Pace {
  bytes: number;
  /** Bytes taken in a row, without making us wait. */
  taken: number;
  /** What `bytes` never exceeds. */
  readonly max: number;
}

/** Bytes. */
export const minAtATime = 64 * 1024;
/** A whole range of the usual size: one change of threads and one call of the system for all of it. */
const maxBytes = 1024 * 1024;
/**
 * Bytes that wait for one of many answers on an HTTP/2 connection fill the memory that this connection may have, and
 * all of them share it.
 */
const maxOfShared = 256 * 1024;
/** Large steps: memory of a few sizes only fits whoever asks next. */
const step = 4;

/** As much as the system's own buffer takes from us for a client that never reads. */
const takenBeforeMore = 4 * 1024 * 1024;
/** Whoever asks for no more than this means to read it now. */
const shortAnswer = 2 * 1024 * 1024;

/**
 * @param isShared whether other answers travel on the same connection at the same time
 * @param answerBytes of the first answer on it
 */
export function startPace(isShared: boolean, answerBytes: number): Pace {
  const isTrusted = !isShared && answerBytes <= shortAnswer;
  return { bytes: isTrusted ? maxBytes : minAtATime, taken: 0, max: isShared ? maxOfShared : maxBytes };
}

/**
 * @param bytes that were written
 * @param hasStalled whether the client made us wait for it
 */
export function adjustPace(pace: Pace, bytes: number, hasStalled: boolean): void {
  pace.taken = hasStalled ? 0 : pace.taken + bytes;
  if (hasStalled) pace.bytes = Math.max(minAtATime, pace.bytes / step);
  if (pace.taken < takenBeforeMore) return;
  hurryPace(pace);
  pace.taken = 0;
}

/** A client that took the whole of an answer does read. */
export function hurryPace(pace: Pace): void {
  pace.bytes = Math.min(pace.max, pace.bytes * step);
}
