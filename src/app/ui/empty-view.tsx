import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import styles from './empty-view.module.css';
import { LogoOutline } from './logo.tsx';

interface Props {
  title: string;
  /** Notices about the whole app, under the title. */
  notice?: ReactNode;
  heading?: string;
  sentence: string;
  /** The only action of the view; it gets the focus. */
  action?: { label: string; onPress: () => void };
}

/** A view with one sentence and at most one action. */
export function EmptyView({ title, notice, heading, sentence, action }: Props) {
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
