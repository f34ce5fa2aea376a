import { countText } from './count-text.ts';

/** Seconds of each, from the largest. */
const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
];

/** A span in its two largest units: '2 days 3 hours', '12 seconds'. */
export function spanText(seconds: number): string {
  const from = units.findIndex((unit) => seconds >= unit.seconds);
  if (from < 0) return 'less than a second';
  let rest = seconds;
  const parts = units.slice(from, from + 2).flatMap((unit) => {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    return count > 0 ? countText(count, unit.name) : [];
  });
  return parts.join(' ');
}

/**
 * How long ago something was, in its largest unit: '3 hours ago'.
 * @param now epoch milliseconds
 */
export function agoText(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  const unit = units.find((one) => seconds >= one.seconds);
  if (!unit || unit.seconds === 1) return 'just now';
  return `${countText(Math.floor(seconds / unit.seconds), unit.name)} ago`;
}
