/** A local day as date fields have it, as `2026-12-31`. */
export function dayText(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** The last moment of a local day. */
export function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59.999`);
}

/** The last moment of the day that is so many days after `now`, in epoch milliseconds. */
export function endOfDayIn(days: number, now: number): Date {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 23, 59, 59, 999);
}
