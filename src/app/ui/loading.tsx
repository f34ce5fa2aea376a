import type { ComponentType } from 'react';
import { lazy, useEffect, useState } from 'react';
import { loadWithinLimit } from '../platform/http/time-limit.ts';
import { recovered } from '../platform/link.ts';
import { createSignal } from '../platform/signal.ts';
import styles from './loading.module.css';

/**
 * A part of the app that is loaded when it is first rendered. `Missing` is rendered instead when
 * its file cannot be loaded in time; a file that arrives later replaces it. The file is requested
 * again when the network recovers, and when the part is next rendered.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Missing: ComponentType<Props>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let wasMissing = false;
  const arrived = createSignal();
  const loadPart = async () => {
    Loaded = await load();
    arrived.emit();
  };
  const loadMissing = () => void (Loaded ?? loadPart().catch(ignoreFailure));

  function Placeholder(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props>>(() => Loaded ?? Missing);
    useEffect(() => arrived.listen(() => setPart(() => Loaded ?? Missing)), []);
    useEffect(() => recovered.listen(loadMissing), []);
    useEffect(() => {
      // The first mount directly follows the failure.
      if (wasMissing) loadMissing();
      wasMissing = true;
    }, []);
    return <Part {...props} />;
  }

  return lazy(async () => {
    await loadWithinLimit(loadPart).catch(ignoreFailure);
    return { default: Loaded ?? Placeholder };
  }) as ComponentType<Props>;
}

/** A failure or timeout renders `Missing`. */
function ignoreFailure(): void {}

/**
 * A placeholder while loading. It appears after a delay, so that a quick reply shows none. The
 * caller's class sets size and background.
 */
export function Skeleton({ className }: { className: string | undefined }) {
  return <div className={`${styles.skeleton} ${className}`} />;
}

/**
 * Four squares, animated in four steps, except under reduced motion. The first has the quadrant's
 * colour.
 */
export function SquaresLoader({ className }: { className?: string | undefined }) {
  return (
    <svg className={`${styles.loader} ${className ?? ''}`} viewBox="0 0 22 22" aria-hidden="true">
      <rect className={styles.identity} x="1" y="1" width="9" height="9" rx="1.5" />
      <rect x="12" y="1" width="9" height="9" rx="1.5" />
      <rect x="12" y="12" width="9" height="9" rx="1.5" />
      <rect x="1" y="12" width="9" height="9" rx="1.5" />
    </svg>
  );
}
