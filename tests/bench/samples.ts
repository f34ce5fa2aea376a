/** What repeated runs of one thing gave, in one unit. */
export type Samples = readonly number[];

export function median(samples: Samples): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error('no samples');
  return (low + high) / 2;
}

/** Distance between the quartiles as a share of the median: 0.25 is 25 %. */
export function spread(samples: Samples): number {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / median(samples);
}

export function quantile(samples: Samples, share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}
