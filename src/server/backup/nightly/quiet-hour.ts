/** Local time: after the last guests, before the first. */
const quietHour = 4;

/** The next time that it is four o'clock, in epoch milliseconds. */
export function nextQuietHour(now: number): number {
  const today = quietHourOf(now, 0);
  return today > now ? today : quietHourOf(now, 1);
}

/** The last time that it was four o'clock. */
export function lastQuietHour(now: number): number {
  const today = quietHourOf(now, 0);
  return today <= now ? today : quietHourOf(now, -1);
}

/** By the calendar: a day has 23 or 25 hours where the clocks are changed. */
function quietHourOf(now: number, daysAway: number): number {
  const date = new Date(now);
  date.setDate(date.getDate() + daysAway);
  return date.setHours(quietHour, 0, 0, 0);
}
