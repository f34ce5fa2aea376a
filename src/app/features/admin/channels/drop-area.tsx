import type { DragEvent, ReactNode } from 'react';
import { useState } from 'react';
import styles from './import-card.module.css';

interface Props {
  /** What is dropped counts. Otherwise it is ignored, where the browser would open it in place of the page. */
  isReady: boolean;
  /** The first of the files. */
  onDrop: (file: File) => void;
  children: ReactNode;
}

/** A place where a file can be dropped. */
export function DropArea({ isReady, onDrop, children }: Props) {
  const [isOver, setOver] = useState(false);
  const enter = (event: DragEvent) => {
    event.preventDefault();
    setOver(isReady);
  };
  const leave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (isReady && file) onDrop(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one more way; the button has all of it
    <div className={isOver ? styles.over : undefined} onDragOver={enter} onDragLeave={leave} onDrop={drop}>
      {children}
    </div>
  );
}
