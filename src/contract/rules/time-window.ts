/** What the dashboard can look back on (§2 Performance Dashboard). */
export const timeWindows = ['1m', '5m', '15m', '1h', '6h', '24h'] as const;

export type TimeWindow = (typeof timeWindows)[number];

export const timeWindowMinutes: Record<TimeWindow, number> = { '1m': 1, '5m': 5, '15m': 15, '1h': 60, '6h': 360, '24h': 1_440 };
