import { X } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { holdFocus } from '../platform/focus-scopes.ts';
import { lockScroll } from '../platform/scroll-lock.ts';
import { IconButton } from './icon-button.tsx';
import styles from './modal.module.css';

interface Props {
  title: string;
  /** A sentence that is read out with the title. */
  sentence?: string;
  /** An alert interrupts, and asks for an answer. */
  kind?: 'dialog' | 'alertdialog';
  /** By the X and the backdrop. Escape and Back close the layer that the opener added to the back stack, and so come from there. */
  onClose: () => void;
  children?: ReactNode;
}

/** Over everything: it holds the focus and the page's scrolling, and gives both back. */
export function Modal({ title, sentence, kind = 'dialog', onClose, children }: Props) {
  const dialog = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const sentenceId = useId();
  useEffect(() => (dialog.current ? holdFocus(dialog.current) : undefined), []);
  useEffect(lockScroll, []);
  const closeFromOutside = ({ target, currentTarget }: MouseEvent) => target === currentTarget && onClose();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the backdrop is a second way out for pointers; keys have the X, Escape and Back
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div className={styles.scrim} onClick={closeFromOutside}>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both kinds of role support it */}
      <div ref={dialog} className={styles.modal} role={kind} aria-modal="true" aria-labelledby={titleId} aria-describedby={sentence && sentenceId}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        <div className={styles.body}>
          {sentence && <p id={sentenceId}>{sentence}</p>}
          {children}
        </div>
        {/* The last in order, so that the focus starts on what is useful. */}
        <IconButton label="Close" icon={<X aria-hidden="true" />} onPress={onClose} className={styles.close} />
      </div>
    </div>
  );
}
