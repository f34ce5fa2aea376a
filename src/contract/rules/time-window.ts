/** What the dashboard can look back on (§2 Performance Dashboard). */
export const timeWindows = ['1m', '5m', '15m', '1h', '6h', '24h'] as const;

export type TimeWindow = (typeof timeWindows)[number];

export function minutesOf(window: TimeWindow): number {
  const count = Number.parseInt(window, 10);
  return window.endsWith('h') ? count * 60 : count;
}
