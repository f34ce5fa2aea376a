import type { FocusEvent } from 'react';
import { memo, Suspense, useId, useLayoutEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { playerFacts } from '#app/playback/player/player-store.ts';
import { GestureArea } from '#app/ui/gesture-area.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { controls, showControls, showControlsByFocus } from '../controls/controls-store.ts';
import { attachPlayer, startAll } from '../feed-store.ts';
import { useOkKey } from '../keys/ok-key.ts';
import { quadrantGestures } from '../keys/quadrant-gestures.ts';
import { openQuadrantMenu } from '../menu/quadrant-menu-store.ts';
import { toggleExpanded } from '../quadrant/expansion.ts';
import { feed } from '../quadrant/feed-state.ts';
import { phaseOf } from '../quadrant/phase.ts';
import { useDerived } from './derived-hook.ts';
import { overlays } from './overlay-store.ts';
import { PinCorner } from './pin-corner.tsx';
import { QuadrantMessage } from './quadrant-message.tsx';
import styles from './quadrant-view.module.css';

const VideoGestures = memo(GestureArea);
/** Nothing of them is seen before the feed is touched. Until they are there, keys and gestures do without. */
const QuadrantControls = lazyPart(
  async () => (await import('../controls/quadrant-controls.tsx')).QuadrantControls,
  () => null,
);
/** The menu of the quadrant does the same as the handle; without its file there is no filter to open either. */
const OnDemand = lazyPart(
  async () => (await import('./on-demand.tsx')).OnDemand,
  () => null,
);

/**
 * One of the four: the video, the message over it, and its controls. Its filename is read out when it gets the focus.
 */
export const QuadrantView = memo(function QuadrantView({ quadrant }: { quadrant: Quadrant }) {
  const isStarted = useDerived(feed, () => feed.isStarted);
  const isExpanded = useDerived(feed, () => feed.expanded === quadrant);
  const state = useSnapshot(feed.quadrants[quadrant]);
  const phase = phaseOf(state, useSnapshot(playerFacts[quadrant]));
  const { message, banner, poster } = useSnapshot(overlays[quadrant]);
  const isActive = useDerived(controls, () => controls.active === quadrant);
  const isEntered = useDerived(controls, () => controls.entered === quadrant);
  const isLast = useDerived(controls, () => controls.last === quadrant);
  const isFeedWoken = useDerived(controls, () => controls.last !== null);
  const areControlsDue = useDerived(controls, () => controls.areDue);
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => void (host.current && attachPlayer(quadrant, host.current)), [quadrant]);
  const okKey = useOkKey(quadrant);
  const filenameId = useId();

  return (
    <section
      className={styles.quadrant}
      aria-label={quadrantNames[quadrant]}
      aria-describedby={filenameId}
      data-quadrant={quadrant}
      data-phase={phase}
      data-message={message?.kind}
      data-video-id={state.shown?.id}
      data-active={isActive}
      data-entered={isEntered}
      data-filtered={state.filter !== null}
      data-pinned={state.pinned !== null}
      data-expanded={isExpanded}
      data-focus-level
      data-focus-first={isLast || undefined}
      tabIndex={isStarted ? 0 : -1}
      onPointerMove={(event) => event.pointerType === 'mouse' && showControls(quadrant, 'pointer')}
      onPointerDown={(event) => event.pointerType !== 'mouse' && isActive && showControls(quadrant, 'pointer')}
      onDoubleClick={(event) => isOnVideo(event.target) && isByMouse() && toggleExpanded(quadrant)}
      onMouseDown={(event) => isOnVideo(event.target) && event.preventDefault()}
      onContextMenu={(event) => {
        event.preventDefault();
        openQuadrantMenu(quadrant);
      }}
      onFocus={(event) => isFromOutside(event) && showControlsByFocus(quadrant)}
      onKeyDown={okKey.press}
      onKeyUp={okKey.letGo}
    >
      {poster && <img className={styles.poster} src={poster} alt="" />}
      <div ref={host} className={styles.video} />
      <VideoGestures target={host} gestures={quadrantGestures[quadrant]} />
      <span id={filenameId} hidden>
        <bdi>{state.shown?.filename}</bdi>
      </span>
      <div role="status" className={styles.message}>
        {message && <QuadrantMessage quadrant={quadrant} message={message} onTap={startAll} />}
      </div>
      {banner && !message && !isActive && (
        <p className={styles.banner}>
          <bdi>{banner}</bdi>
        </p>
      )}
      <Suspense fallback={null}>
        {areControlsDue && <QuadrantControls quadrant={quadrant} isActive={isActive} />}
      </Suspense>
      <Suspense fallback={null}>{isFeedWoken && <OnDemand quadrant={quadrant} />}</Suspense>
      {state.pinned !== null && <PinCorner />}
      <span className={styles.ring} />
    </section>
  );
});

/** A finger's double tap is a gesture already, although the browser makes a double click of it. */
function isByMouse(): boolean {
  return currentInput() !== 'touch';
}

function isOnVideo(target: EventTarget): boolean {
  return !(target as Element).closest('button, input');
}

function isFromOutside({ currentTarget, relatedTarget }: FocusEvent): boolean {
  return !currentTarget.contains(relatedTarget as Node | null);
}
