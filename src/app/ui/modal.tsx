import { X } from 'lucide-react';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { proxy } from 'valtio/vanilla';
import { focusablesIn, holdFocus, lockScroll } from '#app/platform/input/focus-scopes.ts';
import { canScroll } from '#app/platform/input/remote-keys.ts';
import { IconButton } from './button.tsx';
import styles from './modal.module.css';

/**
 * How many open dialogs have something typed in them: nothing else should ask for a reload
 * meanwhile.
 */
export const typedDialogs = proxy({ count: 0 });

interface Props {
  title: string;
  /** Screen readers announce it with the title. */
  sentence?: ReactNode;
  /** An alert interrupts, and asks for an answer. */
  kind?: 'dialog' | 'alertdialog';
  size?: 'small' | 'normal' | 'wide' | 'player' | 'text';
  /**
   * Called by the X and the backdrop. Escape and Back close a layer of the back stack, which the
   * opener adds (`useBackLayer`, `openDialog`).
   */
  onClose: () => void;
  children?: ReactNode;
  /** Stays visible below the scrolling content. */
  foot?: ReactNode;
}

const sizes = { small: styles.small, normal: '', wide: styles.wide, player: styles.player, text: styles.text };

/**
 * A dialog over everything: it traps the focus and locks the page's scrolling. On a phone a dialog
 * fills the screen, an alert does not.
 */
export function Modal({ title, sentence, kind = 'dialog', size = 'normal', onClose, children, foot }: Props) {
  const dialog = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const sentenceId = useId();
  useEffect(() => (dialog.current ? holdFocus(dialog.current) : undefined), []);
  useEffect(lockScroll, []);
  const noteTyped = useTyped();
  // A drag that selects text inside and ends on the backdrop does not count as a press there.
  const isHeldInside = useRef(false);
  const recordPress = ({ target, currentTarget }: MouseEvent) => {
    isHeldInside.current = target !== currentTarget;
  };
  const closeFromOutside = ({ target, currentTarget }: MouseEvent) =>
    !isHeldInside.current && target === currentTarget && onClose();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the backdrop is a second way out for pointers; keys have the X, Escape and Back
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      className={`${styles.scrim} ${kind === 'dialog' ? styles.large : ''}`}
      onPointerDown={recordPress}
      onClick={closeFromOutside}
    >
      {/* biome-ignore-start lint/a11y/useAriaPropsSupportedByRole: both kinds of role support it */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it has one of two roles, and hears the keys of its buttons */}
      <div
        ref={dialog}
        className={`${styles.modal} ${sizes[size]}`}
        role={kind}
        aria-modal="true"
        aria-labelledby={titleId}
        aria-describedby={sentence ? sentenceId : undefined}
        onKeyDown={(event) => scrollByArrow(event, body.current)}
        onInput={noteTyped}
      >
        {/* biome-ignore-end lint/a11y/useAriaPropsSupportedByRole: as above */}
        <h2 id={titleId} className={styles.title} dir="auto">
          {title}
        </h2>
        <div ref={body} className={styles.body}>
          {sentence && <p id={sentenceId}>{sentence}</p>}
          {children}
        </div>
        {foot && <div className={styles.foot}>{foot}</div>}
        {/* The button is last in order, so that the focus starts on something useful. */}
        <IconButton label="Close" icon={<X aria-hidden="true" />} onPress={onClose} className={styles.close} />
      </div>
    </div>
  );
}

/** Counts the dialog among `typedDialogs` from its first input until it closes. */
function useTyped(): () => void {
  const isTyped = useRef(false);
  useEffect(
    () => () => {
      if (isTyped.current) typedDialogs.count -= 1;
    },
    [],
  );
  return () => {
    if (!isTyped.current) typedDialogs.count += 1;
    isTyped.current = true;
  };
}

/** Scrolls by this share of the visible height, so that the last line stays visible. */
const scrolledShare = 0.5;

/**
 * Scrolls a text without focusable elements in that direction, such as a long alert, by arrow keys
 * on a button.
 */
function scrollByArrow(event: KeyboardEvent, body: HTMLElement | null): void {
  const { key, target } = event;
  if (event.defaultPrevented || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
  const direction = key === 'ArrowUp' ? 'up' : 'down';
  if (body === null || !(target instanceof HTMLButtonElement) || !canScroll(body, direction)) return;
  const from = target.getBoundingClientRect();
  const isAhead = (element: HTMLElement) => {
    const box = element.getBoundingClientRect();
    return direction === 'up' ? box.top < from.top : box.bottom > from.bottom;
  };
  if (focusablesIn(body, isAhead).length > 0) return;
  event.preventDefault();
  body.scrollTop += body.clientHeight * (direction === 'up' ? -scrolledShare : scrolledShare);
}
