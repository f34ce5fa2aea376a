/** Whether a venue is open, and the seconds until that changes, and until it changes back. */
export interface VenueTimes {
  isOpen: boolean;
  /** Null when it is always open. */
  closesIn: number | null;
  opensIn: number | null;
}

const always: VenueTimes = { isOpen: true, closesIn: null, opensIn: null };

/**
 * Hours may cross midnight; equal ones mean day and night. They are times of the device's own clock
 * and zone, so that a day of 23 or 25 hours begins and ends as the clock on the wall says.
 * @param hours minutes after midnight
 */
export function venueTimes(hours: { readonly opens: number; readonly closes: number } | null, at: Date): VenueTimes {
  if (hours === null || hours.opens === hours.closes) return always;
  const opensIn = secondsUntil(hours.opens, at);
  const closesIn = secondsUntil(hours.closes, at);
  if (closesIn <= opensIn) return { isOpen: true, closesIn, opensIn };
  return { isOpen: false, closesIn: 0, opensIn };
}

/** Seconds until the clock shows this minute of a day, one at least. */
function secondsUntil(minute: number, at: Date): number {
  const next = new Date(at);
  next.setHours(0, minute, 0, 0);
  if (next <= at) {
    next.setDate(next.getDate() + 1);
    next.setHours(0, minute, 0, 0);
  }
  return Math.ceil((next.getTime() - at.getTime()) / 1000);
}
