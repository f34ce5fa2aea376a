interface BandwidthMeter {
  /** Megabits per second of what was fetched for videos in the last `ms`; null when no transfer ended in it. */
  read(ms: number): number | null;
  close(): void;
}

/**
 * Counts the bytes that videos brought over the wire, as the browser's resource timing has them. What came from a cache
 * counts nothing.
 * @param hear receives each transfer that has ended
 */
export function openBandwidthMeter(hear: (transfer: PerformanceResourceTiming) => void): BandwidthMeter {
  let bytes = 0;
  const observer = new PerformanceObserver((list) => {
    for (const transfer of videosOf(list.getEntries())) {
      bytes += transfer.transferSize;
      hear(transfer);
    }
  });
  // What ended before: the first bytes of each video come as fast as they can.
  for (const transfer of videosOf(performance.getEntriesByType('resource'))) hear(transfer);
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

function videosOf(entries: PerformanceEntryList): PerformanceResourceTiming[] {
  return (entries as PerformanceResourceTiming[]).filter(({ initiatorType }) => initiatorType === 'video');
}
