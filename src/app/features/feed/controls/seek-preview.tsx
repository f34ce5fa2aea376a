import type { RefObject } from 'react';
import { useEffect, useState } from 'react';
import { savesData } from '#app/platform/capabilities.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { lengthOf, measureRange, shareAt } from '#app/ui/form/range.tsx';
import type { PlacedStill, StillRoom, StoryboardSheet } from '#app/ui/media/storyboard.tsx';
import { placeStill, Still, tileAt, useSheet } from '#app/ui/media/storyboard.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import { clockText } from '#contract/rules/text.ts';
import { after } from '#device/timers.ts';
import { stepped } from '../quadrant/player-actions.ts';
import styles from './seek-preview.module.css';

interface Props {
  quadrant: Quadrant;
  line: RefObject<HTMLInputElement | null>;
  sheet: StoryboardSheet;
  durationSeconds: number | null;
}

/**
 * The storyboard still and time of the sought position, above the seek bar and within the quadrant.
 * The storyboard is requested at the first seek; in data-saving mode only by dragging.
 */
export function SeekPreview({ quadrant, line, sheet, durationSeconds }: Props) {
  const [shown, setShown] = useState<(Sought & PlacedStill) | null>(null);
  useEffect(() => {
    const element = line.current;
    if (!element) return;
    return watchSeeking(quadrant, element, (sought) =>
      setShown(sought && { ...sought, ...placeStill(sheet, measureRoom(element), sought.share) }),
    );
  }, [quadrant, line, sheet]);
  const isLoaded = useSheet(sheet.url, shown !== null && (shown.isDragged || !savesData()));
  if (!shown) return null;
  const { left, width, height, isOverWords, seconds } = shown;
  return (
    <div
      className={`${styles.preview} ${isOverWords ? styles.low : ''}`}
      style={{ left, width, ...(isLoaded && { height }) }}
      aria-hidden="true"
    >
      {isLoaded && <Still sheet={sheet} tile={tileAt(sheet, seconds, durationSeconds)} className={styles.still} />}
      <span className={styles.time}>{clockText(seconds)}</span>
    </div>
  );
}

/**
 * Measures the room for a still. The words precede the seek bar and are as wide: with a remote they
 * may be shown without it. Buttons take up the top of the quadrant. A dock of controls below the
 * quadrant leaves the room up to that edge.
 */
function measureRoom(line: HTMLInputElement): StillRoom {
  const { left, top, width, height } =
    line.parentElement?.previousElementSibling?.getBoundingClientRect() ?? new DOMRect();
  const edge = line.closest('section')?.getBoundingClientRect().top ?? 0;
  return {
    line: { left, width, thumb: lengthOf(line, '--thumb') },
    words: height,
    above: top - edge - lengthOf(line, '--tap'),
  };
}

/** A position of the video on screen that the viewer points at or has sought. */
interface Sought {
  seconds: number;
  /** Position as a share of the duration, from 0 to 1. */
  share: number;
  /** The thumb is held by touch or mouse. */
  isDragged: boolean;
}

/** How long the preview stays after a step, long enough to bridge repeated key presses. */
const stepShownMs = 1_500;

/**
 * Reports the position that a hovering mouse, a dragged thumb or a seek step points at, and null
 * when none does any more.
 * Returns a function that stops it.
 */
function watchSeeking(quadrant: Quadrant, line: HTMLInputElement, show: (sought: Sought | null) => void): () => void {
  let isDragged = false;
  let isHovered = false;
  let endStep = () => {};
  const showAt = (seconds: number) => {
    endStep();
    const duration = playerFacts[quadrant].durationSeconds;
    if (duration) show({ seconds, share: seconds / duration, isDragged });
  };
  const hide = () => {
    endStep();
    show(null);
  };
  const hover = ({ pointerType, clientX }: PointerEvent) => {
    if (pointerType !== 'mouse' || line.disabled) return;
    isHovered = true;
    if (!isDragged) showAt(shareAt(measureRange(line), clientX) * (playerFacts[quadrant].durationSeconds ?? 0));
  };
  const leave = () => {
    isHovered = false;
    if (!isDragged) hide();
  };
  const drag = () => {
    isDragged = true;
    showAt(Number(line.value));
  };
  const drop = () => {
    if (isDragged && !isHovered) hide();
    isDragged = false;
  };
  const handlers = { pointermove: hover, pointerleave: leave, input: drag, change: drop, pointercancel: drop } as const;
  const entries = Object.entries(handlers) as [string, (event: Event) => void][];
  for (const [name, handle] of entries) line.addEventListener(name, handle);
  const stopHearing = stepped.listen((step) => {
    if (step.quadrant !== quadrant || isDragged) return;
    showAt(step.seconds);
    endStep = after(stepShownMs, hide);
  });
  return () => {
    endStep();
    stopHearing();
    for (const [name, handle] of entries) line.removeEventListener(name, handle);
  };
}
