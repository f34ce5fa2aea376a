/**
 * The last day of a plan that ends, as `2026-12-31`.
 * @param today the present day, likewise
 */
export function checkLastDay(day: string, today: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) return 'Choose the last day';
  return day < today ? 'This day has passed' : null;
}
