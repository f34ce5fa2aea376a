import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { holdFocus, lockScroll } from '#app/platform/input/focus-scopes.ts';
import { IconButton } from '../icon-button.tsx';
import styles from './sheet.module.css';
import { useBackLayer } from './use-back-layer.ts';

interface Props {
  /** What it is, for screen readers. */
  label: string;
  /** By the X, a press outside, Escape and Back. */
  onClose: () => void;
  children: ReactNode;
  /** Stays in sight below what scrolls. */
  foot?: ReactNode;
}

/** From below over a page that is too narrow for a panel beside its list. */
export function Sheet({ label, onClose, children, foot }: Props) {
  const sheet = useRef<HTMLDivElement>(null);
  useBackLayer(onClose);
  useEffect(() => (sheet.current ? holdFocus(sheet.current) : undefined), []);
  useEffect(lockScroll, []);
  return (
    <>
      <div className={styles.outside} onClick={onClose} aria-hidden="true" />
      <div ref={sheet} className={styles.sheet} role="dialog" aria-modal="true" aria-label={label}>
        <div className={styles.body}>{children}</div>
        {foot && <div className={styles.foot}>{foot}</div>}
        {/* Last in order, so that the focus starts on something useful. */}
        <IconButton label="Close" icon={<X aria-hidden="true" />} onPress={onClose} className={styles.close} />
      </div>
    </>
  );
}
