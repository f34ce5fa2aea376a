/** A day in the viewer's own words, as `Nov 21, 2026`. Engines before Chromium 76 write it in digits. */
export function dayOf(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** A day with its time, likewise. */
export function momentOf(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
