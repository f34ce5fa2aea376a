import type { FocusEvent, KeyboardEvent, PointerEvent } from 'react';
import { useCallback, useId, useLayoutEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { playerFacts } from '#app/playback/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { controls, toggle, wake } from './controls-store.ts';
import { feed } from './feed-state.ts';
import { attachPicture, startAll } from './feed-store.ts';
import { overlays } from './overlay-store.ts';
import { phaseOf } from './phase.ts';
import { QuadrantControls } from './quadrant-controls.tsx';
import { QuadrantMessage } from './quadrant-message.tsx';
import { quadrantNames } from './quadrant-names.ts';
import { playNext } from './quadrant-supply.ts';
import styles from './quadrant-view.module.css';
import { isSkip } from './shortcuts.ts';

/** One of the four: the picture, what is said over it, and its controls. Its filename is read out when it gets the focus. */
export function QuadrantView({ quadrant }: { quadrant: Quadrant }) {
  const { isStarted } = useSnapshot(feed);
  const request = useSnapshot(feed.requests[quadrant]);
  const phase = phaseOf(request, useSnapshot(playerFacts[quadrant]));
  const { message, banner } = useSnapshot(overlays[quadrant]);
  const isAwake = useSnapshot(controls).awake === quadrant;
  const attach = useCallback((host: HTMLDivElement | null) => void (host && attachPicture(quadrant, host)), [quadrant]);
  const section = useFocusKept(isAwake);
  const filenameId = useId();
  const skip = () => playNext(quadrant);

  const onKeyDown = (event: KeyboardEvent) => {
    wake(quadrant, 'key');
    if (isSkip(event)) skip();
  };

  return (
    <section
      ref={section}
      className={styles.quadrant}
      aria-label={quadrantNames[quadrant]}
      aria-describedby={filenameId}
      data-quadrant={quadrant}
      data-phase={phase}
      data-video-id={request.shown?.id}
      data-awake={isAwake}
      tabIndex={isStarted ? 0 : -1}
      onPointerMove={(event) => event.pointerType === 'mouse' && wake(quadrant, 'pointer')}
      onPointerUp={(event) => isTapOnPicture(event) && toggle(quadrant)}
      onMouseDown={(event) => event.preventDefault()}
      onFocus={(event) => isFromOutside(event) && wake(quadrant, 'key')}
      onKeyDown={onKeyDown}
    >
      <div ref={attach} className={styles.picture} />
      <span id={filenameId} hidden>
        {request.shown?.filename}
      </span>
      <div role="status" className={styles.message}>
        {message && <QuadrantMessage message={message} onTap={startAll} />}
      </div>
      {banner && !message && !isAwake && <p className={styles.banner}>{banner}</p>}
      <QuadrantControls filename={request.shown?.filename} isAwake={isAwake} onSkip={skip} />
      <span className={styles.ring} />
    </section>
  );
}

/** Controls that hide give the focus back to their quadrant. */
function useFocusKept(isAwake: boolean) {
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!isAwake && section.current?.contains(document.activeElement)) section.current.focus({ preventScroll: true });
  }, [isAwake]);
  return section;
}

/** By finger or pen: a mouse shows and hides the controls by moving and resting. */
function isTapOnPicture({ pointerType, target }: PointerEvent): boolean {
  return pointerType !== 'mouse' && !(target as Element).closest('button');
}

function isFromOutside({ currentTarget, relatedTarget }: FocusEvent): boolean {
  return !currentTarget.contains(relatedTarget as Node | null);
}
