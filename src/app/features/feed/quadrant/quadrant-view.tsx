import { Play, TriangleAlert } from 'lucide-react';
import type { FocusEvent, KeyboardEvent } from 'react';
import { memo, Suspense, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { isOkKey } from '#app/platform/input/late-keys.ts';
import { currentForm, currentInput } from '#app/platform/input/screen-form.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { lazyPart, SquaresLoader } from '#app/ui/loading.tsx';
import { useDerived } from '#app/ui/store-hooks.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import {
  controls,
  enterControls,
  openQuadrantMenu,
  showControls,
  showControlsByFocus,
} from '../controls/controls-store.ts';
import { feed, toggleExpanded } from '../feed-state.ts';
import { attachPlayer, startAll } from '../feed-store.ts';
import type { OverlayMessage, Phase } from './overlays.ts';
import { overlays, phaseOf } from './overlays.ts';
import styles from './quadrant-view.module.css';

/** The recogniser loads later, to keep the first files small. Each gesture has a button as well. */
const QuadrantGestures = lazyPart(
  async () => (await import('./quadrant-gestures.tsx')).QuadrantGestures,
  () => null,
);
/**
 * The controls are hidden until the feed is touched, so they load later. Keys and gestures work
 * without them.
 */
const QuadrantControls = lazyPart(
  async () => (await import('../controls/quadrant-controls.tsx')).QuadrantControls,
  () => null,
);
/**
 * If the file does not load, the quadrant's menu can still move the video, but the filter cannot be
 * opened.
 */
const OnDemand = lazyPart(
  async () => (await import('../controls/on-demand.tsx')).OnDemand,
  () => null,
);

/** `button` of a mouse event. */
const otherMouseButton = 2;

/**
 * One quadrant: the video, the message over it, and its controls. Screen readers read its filename
 * on focus.
 */
export const QuadrantView = memo(function QuadrantView({ quadrant }: { quadrant: Quadrant }) {
  const isStarted = useDerived(feed, () => feed.isStarted);
  const isExpanded = useDerived(feed, () => feed.expanded === quadrant);
  const phase = usePhase(quadrant);
  const { shown, filter, pinned } = useSnapshot(feed.quadrants[quadrant]);
  const messageKind = useDerived(overlays[quadrant], () => overlays[quadrant].message?.kind ?? null);
  const isActive = useDerived(controls, () => controls.active === quadrant);
  const isEntered = useDerived(controls, () => controls.entered === quadrant);
  const isLast = useDerived(controls, () => controls.last === quadrant);
  const okKey = useOkKey(quadrant);
  const filenameId = useId();

  return (
    <section
      className={styles.quadrant}
      aria-label={quadrantNames[quadrant]}
      aria-describedby={filenameId}
      data-quadrant={quadrant}
      data-phase={phase}
      data-message={messageKind ?? undefined}
      data-video-id={shown?.id}
      data-active={isActive}
      data-entered={isEntered}
      data-filtered={filter !== null}
      data-pinned={pinned !== null}
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
        // On a TV the Menu key opens the side menu, even when it was pressed before its code loaded.
        if (event.button === otherMouseButton || currentForm() !== 'tv') openQuadrantMenu(quadrant);
      }}
      onFocus={(event) => isFromOutside(event) && showControlsByFocus(quadrant)}
      onKeyDown={okKey.press}
      onKeyUp={okKey.letGo}
    >
      <QuadrantContent quadrant={quadrant} filenameId={filenameId} />
    </section>
  );
});

interface ContentProps {
  quadrant: Quadrant;
  /** The id of the element that contains the filename. */
  filenameId: string;
}

/**
 * The content of a quadrant. It is a component of its own, so that a focus that moves between
 * quadrants does not render it again.
 */
const QuadrantContent = memo(function QuadrantContent({ quadrant, filenameId }: ContentProps) {
  const { shown, pinned } = useSnapshot(feed.quadrants[quadrant]);
  const { message } = useSnapshot(overlays[quadrant]);
  const isFeedWoken = useDerived(controls, () => controls.last !== null);
  const areControlsDue = useDerived(controls, () => controls.areDue);
  const host = useRef<HTMLDivElement>(null);
  const isHere = useDerived(feed, () => !feed.isInSmallWindow);
  useLayoutEffect(() => void (isHere && host.current && attachPlayer(quadrant, host.current)), [quadrant, isHere]);
  return (
    <>
      <Poster quadrant={quadrant} />
      <div ref={host} className={styles.video} />
      <Suspense fallback={null}>
        <QuadrantGestures target={host} quadrant={quadrant} />
      </Suspense>
      <span id={filenameId} hidden>
        <bdi>{shown?.title}</bdi>
      </span>
      <div role="status" className={styles.message}>
        {message && <QuadrantMessage quadrant={quadrant} message={message} onTap={startAll} />}
      </div>
      {!message && <Banner quadrant={quadrant} />}
      <Suspense fallback={null}>{areControlsDue && <QuadrantControls quadrant={quadrant} />}</Suspense>
      <Suspense fallback={null}>{isFeedWoken && <OnDemand quadrant={quadrant} />}</Suspense>
      {pinned !== null && <PinCorner />}
      <span className={styles.ring} />
    </>
  );
});

/** The phase of a quadrant: its state and its player change more often than the phase does. */
function usePhase(quadrant: Quadrant): Phase {
  const read = () => phaseOf(feed.quadrants[quadrant], playerFacts[quadrant]);
  useDerived(feed.quadrants[quadrant], read);
  return useDerived(playerFacts[quadrant], read);
}

/**
 * The poster of a video that has no frame yet. Without a poster, the name of one that rests stands
 * there.
 */
const Poster = memo(function Poster({ quadrant }: { quadrant: Quadrant }) {
  const { poster, restingName } = useSnapshot(overlays[quadrant]);
  const [failed, setFailed] = useState<string | null>(null);
  if (poster === null || poster === failed)
    return (
      restingName && (
        <p className={styles.resting}>
          <bdi>{restingName}</bdi>
        </p>
      )
    );
  return <img className={styles.poster} src={poster} alt="" onError={() => setFailed(poster)} />;
});

/** The filename of a video that has just started. The controls show it as well. */
const Banner = memo(function Banner({ quadrant }: { quadrant: Quadrant }) {
  const { banner } = useSnapshot(overlays[quadrant]);
  const isActive = useDerived(controls, () => controls.active === quadrant);
  return (
    banner &&
    !isActive && (
      <p className={styles.banner}>
        <bdi>{banner}</bdi>
      </p>
    )
  );
});

/**
 * A double tap is handled as a gesture, although the browser fires a double click for it as well.
 */
function isByMouse(): boolean {
  return currentInput() !== 'touch';
}

function isOnVideo(target: EventTarget): boolean {
  return !(target as Element).closest('button, input');
}

function isFromOutside({ currentTarget, relatedTarget }: FocusEvent): boolean {
  return !currentTarget.contains(relatedTarget as Node | null);
}

const longPressMs = 500;

interface OkKey {
  press(event: KeyboardEvent): void;
  letGo(event: KeyboardEvent): void;
}

/**
 * Handles keys on a quadrant: any key shows its controls, OK moves the focus to them if they were
 * shown before, and holding OK expands the quadrant.
 */
function createOkKey(quadrant: Quadrant): OkKey {
  let cancelLongPress: (() => void) | null = null;
  let wereShown = false;
  return {
    press: (event) => {
      if (!event.repeat) wereShown = controls.active === quadrant;
      showControls(quadrant, 'key');
      if (!isOkOnVideo(event)) return;
      event.preventDefault();
      if (event.repeat || cancelLongPress) return;
      cancelLongPress = after(longPressMs, () => {
        cancelLongPress = null;
        toggleExpanded(quadrant);
      });
    },
    letGo: (event) => {
      if (!isOkOnVideo(event) || !cancelLongPress) return;
      cancelLongPress();
      cancelLongPress = null;
      if (wereShown) enterControls(quadrant);
    },
  };
}

function useOkKey(quadrant: Quadrant): OkKey {
  return useMemo(() => createOkKey(quadrant), [quadrant]);
}

function isOkOnVideo(event: KeyboardEvent): boolean {
  const isOnVideo = event.target === event.currentTarget;
  return isOnVideo && (event.key === 'Enter' || isOkKey(event.nativeEvent));
}

interface Props {
  quadrant: Quadrant;
  message: OverlayMessage;
  onTap: () => void;
}

const NoVideos = lazyPart(
  async () => (await import('./library-messages.tsx')).NoVideos,
  () => <p className={styles.tile}>No videos yet</p>,
);

const NoSaved = lazyPart(
  async () => (await import('./library-messages.tsx')).NoSaved,
  () => <p className={styles.tile}>No saved video matches</p>,
);

/** If the file does not load, the message is shown without progress. */
const DownloadProgress = lazyPart(
  async () => (await import('./library-messages.tsx')).DownloadProgress,
  () => null,
);

function QuadrantMessage({ quadrant, message, onTap }: Props) {
  switch (message.kind) {
    case 'no-saved':
      return (
        <Suspense fallback={null}>
          <NoSaved quadrant={quadrant} />
        </Suspense>
      );
    case 'no-videos':
      return (
        <Suspense fallback={null}>
          <NoVideos quadrant={quadrant} isFiltered={message.isFiltered ?? false} />
        </Suspense>
      );
    case 'tap':
      return <TapToPlay text={message.text} onTap={onTap} />;
    case 'error':
      return (
        <p className={styles.tile}>
          <TriangleAlert />
          {message.text}
        </p>
      );
    default:
      return <Wait {...message} />;
  }
}

function Wait({ text, progress }: { text: string; progress?: number | null }) {
  return (
    <div className={styles.tile}>
      <SquaresLoader />
      <div>
        {text}
        {progress !== undefined && (
          <Suspense fallback={null}>
            <DownloadProgress label={text} progress={progress} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** A button over the whole quadrant. */
function TapToPlay({ text, onTap }: { text: string; onTap: () => void }) {
  return (
    <button type="button" className={styles.tap} onClick={onTap}>
      <span className={styles.play}>
        <Play />
      </span>
      <span className={styles.words}>{text}</span>
    </button>
  );
}

/**
 * The folded corner of a pinned quadrant, in the middle of the grid. Four of them form the logo's
 * diamond.
 */
function PinCorner() {
  return (
    <svg className={styles.corner} viewBox="0 0 32 32" aria-hidden="true">
      <path d="M32 0V32H0Z" />
      <path className={styles.flap} d="M0 32 32 0H3a3 3 0 0 0-3 3Z" />
      <path className={styles.edge} d="M0 32 32 0" />
    </svg>
  );
}
