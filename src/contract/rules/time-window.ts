/** What the dashboard can look back on (§2 Performance Dashboard). */
export const timeWindows = ['1m', '5m', '15m', '1h', '6h', '24h'] as const;
