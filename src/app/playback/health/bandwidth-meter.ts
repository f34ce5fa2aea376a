interface BandwidthMeter {
  /** Megabits per second of what was fetched for videos in the last `ms`; null when no transfer ended in it. */
  read(ms: number): number | null;
  close(): void;
}

/**
 * Counts the bytes that videos brought over the wire, as the browser's resource timing has them. What came from a cache
 * counts nothing.
 */
export function openBandwidthMeter(): BandwidthMeter {
  let bytes = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceResourceTiming[]) {
      if (entry.initiatorType === 'video') bytes += entry.transferSize;
    }
  });
  observer.observe({ entryTypes: ['resource'] });
  return {
    read: (ms) => {
      const megabits = (bytes * 8) / 1_000_000;
      bytes = 0;
      return megabits > 0 ? megabits / (ms / 1000) : null;
    },
    close: () => observer.disconnect(),
  };
}
