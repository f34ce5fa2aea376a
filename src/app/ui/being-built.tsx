import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import styles from './being-built.module.css';
import { Button } from './button.tsx';
import { LogoOutline } from './logo.tsx';

interface Props {
  title: string;
  /** What concerns the whole app, under the title. */
  notice?: ReactNode;
  onBack: () => void;
}

/** Stands for a view whose screen comes later. */
export function BeingBuilt({ title, notice, onBack }: Props) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <main className={styles.page}>
      <h1>{title}</h1>
      {notice}
      <div className={styles.empty}>
        <LogoOutline className={styles.art} />
        <p>This part is being built.</p>
        <Button ref={back} kind="line" label="Back to the feed" onPress={onBack} />
      </div>
    </main>
  );
}
