import { CircleAlert, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { now } from '#app/platform/timers.ts';
import { Banner } from '../banner.tsx';
import { agoText } from '../texts.ts';
import styles from './list-body.module.css';
import type { ListFace } from './list-state.ts';

interface Props {
  face: ListFace;
  /** Why the last load failed; also shown above items that are still there. */
  failure: string | null;
  onRetry: () => void;
  /** Hides the failure, where items are still there. */
  onDismiss?: () => void;
  /** When the server gave the items, in epoch milliseconds, where this device had them stored. */
  cachedAt?: number | null;
  /** What stands there before the first reply, in the shape of the items. */
  skeleton?: ReactNode;
  /** What an empty list says (§2), which may depend on search and filters. */
  empty: ReactNode;
  /** The items. */
  children: ReactNode;
}

/** The place of a list: its items, or why there are none. */
export function ListBody({ face, failure, onRetry, onDismiss, cachedAt = null, skeleton, empty, children }: Props) {
  return (
    <>
      {failure !== null && (
        <Banner
          kind="danger"
          icon={<CircleAlert aria-hidden="true" />}
          sentence={failure}
          action={{ label: 'Retry', onPress: onRetry }}
          {...(onDismiss && face === 'items' && { onDismiss })}
        />
      )}
      {cachedAt !== null && (
        <p role="status" className={styles.age}>
          <WifiOff aria-hidden="true" />
          {`Waiting for network. Listed ${agoText(new Date(cachedAt).toISOString(), now())}.`}
        </p>
      )}
      {face === 'items' && children}
      {face === 'empty' && empty}
      {face === 'loading' && (
        <div role="status">
          <span className="visually-hidden">Loading...</span>
          {skeleton}
        </div>
      )}
      {face === 'offline' && (
        <p role="status" className={styles.offline}>
          <WifiOff aria-hidden="true" />
          Waiting for network
        </p>
      )}
    </>
  );
}

interface BulkBarProps {
  /** How many are selected. */
  sentence: string;
  /** What can be done with them. */
  children: ReactNode;
}

/** Between tools and list while something is selected. */
export function BulkBar({ sentence, children }: BulkBarProps) {
  return (
    <section className={styles.bar} aria-label="Selection">
      <p role="status" className={styles.sentence}>
        {sentence}
      </p>
      <div className={styles.buttons}>{children}</div>
    </section>
  );
}
