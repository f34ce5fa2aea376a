import type { ReactNode } from 'react';
import { createContext } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { Bar } from '#app/ui/bar.tsx';
import { agoText, momentOf, sizeText } from '#app/ui/texts.ts';
import { now } from '#device/timers.ts';
import styles from './section.module.css';

interface Props {
  /** A still image of the video. */
  poster?: ReactNode;
  label: ReactNode;
  /** Lines of facts under the label. */
  children?: ReactNode;
  /** Buttons. On a TV a row without buttons takes the focus itself, or arrow keys would skip it. */
  actions?: ReactNode;
}

/** A row of a list in Administration. */
export function EntryRow({ poster, label, children, actions }: Props) {
  const isReachedByRow = !actions && currentForm() === 'tv';
  return (
    <li className={styles.row} tabIndex={isReachedByRow ? 0 : undefined}>
      {poster && <div className={styles.poster}>{poster}</div>}
      <div className={styles.words}>
        <p className={styles.label}>{label}</p>
        {children && <div className={styles.facts}>{children}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}

/** Plain words, or a name that a user chose. Names can have the other writing direction. */
export type Part = string | { name: string };

/** Renders a sentence made of words and names. */
export function Sentence({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
    typeof part === 'string' ? part : <bdi key={at}>{part.name}</bdi>,
  );
}

/** A time as a distance and a date: '3 hours ago (Nov 21, 2026, 9:04 AM)'. */
export function Moment({ time }: { time: string }) {
  return (
    <time dateTime={time}>
      {agoText(time, now())} ({momentOf(time)})
    </time>
  );
}

/** The start of something that still goes on: 'since Nov 21, 2026, 9:04 AM (3 hours ago)'. */
export function Since({ time }: { time: string }) {
  return (
    <time dateTime={time}>
      since {momentOf(time)} ({agoText(time, now())})
    </time>
  );
}

interface DiskSpaceProps {
  /** Null while the disk cannot be read. */
  freeBytes: number | null;
  totalBytes: number | null;
}

/** A disk with a smaller share of free bytes counts as nearly full. */
const lowShare = 0.1;

/** The free space of a disk. */
export function DiskSpaceBar({ freeBytes, totalBytes }: DiskSpaceProps) {
  if (freeBytes === null || totalBytes === null || totalBytes === 0)
    return <p className={styles.quiet}>Its disk does not say how much room is left.</p>;
  const share = 1 - freeBytes / totalBytes;
  const isLow = 1 - share < lowShare;
  return (
    <div className={styles.lines}>
      <Bar share={share} kind={isLow ? 'warn' : 'plain'} />
      <p className={styles.quiet}>
        {`${sizeText(freeBytes)} free of ${sizeText(totalBytes)}`}
        {isLow && ', nearly full'}
      </p>
    </div>
  );
}

/** Opens another section of Administration, by its name. */
export const SectionSwitch = createContext<(name: string) => void>(() => {});
