import { sizeText } from '#app/ui/size-text.ts';

/** '8.4 MB/s'. */
export function speedText(bytesPerSecond: number): string {
  return `${sizeText(bytesPerSecond)}/s`;
}

/** '22 s left', '1 min 22 s left', '2 h 5 min left'. */
export function leftText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s left`;
  if (whole < 3600) return `${joinParts(Math.floor(whole / 60), 'min', whole % 60, 's')} left`;
  return `${joinParts(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min')} left`;
}

function joinParts(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** Whole percent, rounded down: 100 only when nothing is missing. */
export function percentOf(bytes: number, size: number): number {
  return size === 0 ? 0 : Math.floor((bytes / size) * 100);
}
