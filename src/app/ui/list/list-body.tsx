import { CircleAlert, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { now } from '#device/timers.ts';
import { Banner } from '../messages.tsx';
import { agoText } from '../texts.ts';
import styles from './list-body.module.css';
import type { ListFace } from './list-state.ts';

interface Props {
  face: ListFace;
  /** The reason why the last load failed; it is shown above items that are still displayed. */
  failure: string | null;
  onRetry: () => void;
  retryLabel?: string;
  /** Hides the failure when items are still displayed. */
  onDismiss?: () => void;
  /**
   * When the server returned the items, in epoch milliseconds, if they come from this device's
   * cache.
   */
  cachedAt?: number | null;
  /** A placeholder in the shape of the items, shown until the first reply. */
  skeleton?: ReactNode;
  /** The message of an empty list (§2), which may depend on search and filters. */
  empty: ReactNode;
  /** Said without a network, when nothing is cached. */
  offline?: string;
  /** The items. */
  children: ReactNode;
}

/** The body of a list: its items, or the reason why there are none. */
export function ListBody({
  face,
  failure,
  onRetry,
  retryLabel = 'Retry',
  onDismiss,
  cachedAt = null,
  skeleton,
  empty,
  offline = 'Waiting for network',
  children,
}: Props) {
  return (
    <>
      {failure !== null && (
        <Banner
          kind="danger"
          icon={<CircleAlert aria-hidden="true" />}
          sentence={failure}
          action={{ label: retryLabel, onPress: onRetry }}
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
          {offline}
        </p>
      )}
    </>
  );
}

interface BulkBarProps {
  /** The number of selected items. */
  sentence: string;
  /** The actions on the selected items. */
  children: ReactNode;
}

/** The bar above a list while items are selected. */
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
