import type { User } from '#contract/entities/user.ts';
import { isHeavyToKeep } from '#contract/rules/rendition.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';

/** Formats a count with its noun, whose plural ends in s: '1 video', '10,000 videos'. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}

const sizeUnits = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats a size in decimal units (1 kB is 1000 bytes): '92 MB', '4.7 GB'. */
export function sizeText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // At 999.5 and above, rounding would show 1000 of the unit.
  while (amount >= 999.5 && unit < sizeUnits.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${unit > 0 && amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${sizeUnits[unit]}`;
}

/**
 * Says how far a video is that is being saved on this device.
 * @param encoded 0 to 100, while the site makes a file that is smaller, or of another audio track
 */
export function savingText(
  video: Pick<SavedVideo, 'size' | 'savedBytes' | 'durationSeconds'>,
  encoded: number | undefined,
): string {
  const { size, savedBytes } = video;
  const isHeavy = isHeavyToKeep(size, video.durationSeconds);
  if (encoded !== undefined) return `Being ${isHeavy ? 'made smaller' : 'prepared'}: ${encoded} %`;
  return `Saving: ${size > 0 ? Math.floor((savedBytes / size) * 100) : 0} %`;
}

/**
 * Formats a size in megabytes, whatever its size, so that a list is easy to compare: '612.4 MB'.
 */
export function megabytesText(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Formats a day in the viewer's locale: `Nov 21, 2026`. Engines before Chromium 76 write it in
 * digits.
 */
export function dayOf(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** Formats a day with its time in the viewer's locale. */
export function momentOf(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Seconds per unit, the largest first. */
const timeUnits = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
];

/** Formats a duration in its two largest units: '2 days 3 hours', '12 seconds'. */
export function spanText(seconds: number): string {
  const from = timeUnits.findIndex((unit) => seconds >= unit.seconds);
  if (from < 0) return 'less than a second';
  let rest = seconds;
  const parts = timeUnits.slice(from, from + 2).flatMap((unit) => {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    return count > 0 ? countText(count, unit.name) : [];
  });
  return parts.join(' ');
}

/**
 * Formats the age of a time in its largest unit: '3 hours ago'.
 * @param now epoch milliseconds
 */
export function agoText(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  const unit = timeUnits.find((one) => seconds >= one.seconds);
  if (!unit || unit.seconds === 1) return 'just now';
  return `${countText(Math.floor(seconds / unit.seconds), unit.name)} ago`;
}

/**
 * The English name of a language, by its BCP 47 tag; the tag itself in engines without
 * `Intl.DisplayNames` (Chromium 80).
 */
export function languageName(tag: string): string {
  if (!('DisplayNames' in Intl)) return tag;
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    // The tag is invalid.
    return tag;
  }
}

/** Formats a local day as date fields do: `2026-12-31`. */
export function dayText(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

type Named = Pick<User, 'username' | 'display_name'>;

/** §2 Side menu: the display name, or the username. */
export function nameOf(user: Named | null): string {
  return user ? (user.display_name ?? user.username) : 'Anonymous User';
}

/** The letter shown in place of a missing avatar. */
export function initialOf(user: Named | null): string {
  return (Array.from(nameOf(user))[0] ?? '').toUpperCase();
}
