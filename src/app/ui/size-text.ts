const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** '92 MB', '4.7 GB', as disks are sold: a kB is 1000 bytes. */
export function sizeText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // Half below the next unit, which rounding would show as 1000 of this one.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${unit > 0 && amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

/** '612.4 MB', also for sizes that other units are shorter for: a list of them can be compared at a glance. */
export function megabytesText(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
