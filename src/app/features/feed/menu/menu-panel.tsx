import type { KeyboardEvent, ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { holdFocus } from '#app/platform/focus/focus-scopes.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import styles from './quadrant-menu.module.css';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';

interface Props {
  quadrant: Quadrant;
  title: string;
  children: ReactNode;
}

/** Over its quadrant; on a phone from below. A press beside it closes it. */
export function MenuPanel({ quadrant, title, children }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => (panel.current ? holdFocus(panel.current) : undefined), []);
  return (
    <>
      <div
        className={styles.outside}
        onClick={closeQuadrantMenu}
        onContextMenu={(event) => event.preventDefault()}
        aria-hidden="true"
      />
      <div
        ref={panel}
        className={styles.menu}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        data-of={quadrant}
        data-arrows
        data-focus-wrap
        onKeyDown={stayInside}
      >
        <h2 id={titleId} className={styles.title}>
          <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
          {title}
        </h2>
        {children}
      </div>
    </>
  );
}

/** Left and right lead nowhere in a column, but for a slider; the key that opened the menu closes it. */
function stayInside(event: KeyboardEvent): void {
  const key = remoteKeyOf(event.nativeEvent);
  if (key === 'menu') closeQuadrantMenu();
  const isAside = (key === 'left' || key === 'right') && !(event.target instanceof HTMLInputElement);
  if (key === 'menu' || isAside) event.preventDefault();
}
