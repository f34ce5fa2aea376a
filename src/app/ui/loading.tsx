import type { ComponentType, ReactNode } from 'react';
import { lazy, useEffect, useRef, useState } from 'react';
import { loadWithinLimit } from '../platform/http/time-limit.ts';
import { recovered } from '../platform/link.ts';
import { createSignal } from '../platform/signal.ts';
import { Button } from './button.tsx';
import { LogoOutline } from './glyphs.tsx';
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

interface NotLoadedProps {
  title: string;
  notice?: ReactNode;
}

/**
 * Shown when the file of a view could not be loaded: offline and not cached, or removed with an
 * older version.
 */
export function NotLoaded({ title, notice }: NotLoadedProps) {
  return (
    <EmptyView
      title={title}
      notice={notice}
      sentence="This view could not be loaded."
      action={{ label: 'Reload', onPress: () => location.reload() }}
    />
  );
}

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

interface EmptyViewProps {
  title: string;
  /** Notices about the whole app, under the title. */
  notice?: ReactNode;
  heading?: string;
  sentence: string;
  /** The only action of the view; it gets the focus. */
  action?: { label: string; onPress: () => void };
}

/** A view with one sentence and at most one action. */
export function EmptyView({ title, notice, heading, sentence, action }: EmptyViewProps) {
  const button = useRef<HTMLButtonElement>(null);
  const hasAction = action !== undefined;
  useEffect(() => {
    if (hasAction) button.current?.focus();
  }, [hasAction]);
  return (
    <main className={styles.page}>
      <h1>{title}</h1>
      {notice}
      <div className={styles.empty}>
        <LogoOutline className={styles.art} />
        {heading !== undefined && <h2>{heading}</h2>}
        <p>{sentence}</p>
        {action && <Button ref={button} kind="line" label={action.label} onPress={action.onPress} />}
      </div>
    </main>
  );
}
