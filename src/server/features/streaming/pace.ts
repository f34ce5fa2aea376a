/**
 * How much is read for a client at a time. Whoever goes on taking it gets more, so that what lies in memory follows what flows, not the number
 * of clients: a client that never reads is given little before the system's own buffers are full.
 */
export interface Pace {
  bytes: number;
  /** In a row, without making us wait. */
  taken: number;
}

const least = 32 * 1024;
const most = 512 * 1024;
const start = 128 * 1024;
const startAmongMany = 32 * 1024;
const many = 100;
/** Large steps: memory of a few sizes only fits whoever asks next. */
const step = 4;

const slowMs = 400;
/** With the first size, four megabytes: as much as the system's own buffer takes from us for a client that never reads. */
const takenBeforeMore = 32;

/** @param streams how many answers are being sent */
export function startPace(streams: number): Pace {
  return { bytes: streams > many ? startAmongMany : start, taken: 0 };
}

/** @param tookMs from the write until the system had all of it */
export function adjustPace(pace: Pace, tookMs: number): void {
  pace.taken = tookMs > slowMs ? 0 : pace.taken + 1;
  if (tookMs > slowMs) pace.bytes = Math.max(least, pace.bytes / step);
  if (pace.taken < takenBeforeMore) return;
  hurryPace(pace);
  pace.taken = 0;
}

/** A client that took the whole of an answer does read. */
export function hurryPace(pace: Pace): void {
  pace.bytes = Math.min(most, pace.bytes * step);
}
