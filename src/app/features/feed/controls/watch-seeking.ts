import { after } from '#app/platform/timers.ts';
import { playerFacts } from '#app/playback/player/player-store.ts';
import { measureRange, shareAt } from '#app/ui/form/range-place.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { stepped } from './seek.ts';

/** A second of the video on screen that the viewer points at, or has sought. */
export interface Sought {
  seconds: number;
  /** Of the whole video: 0 to 1. */
  share: number;
  /** The thumb is held, by a finger or a mouse. */
  isDragged: boolean;
}

/** So long a step is shown after it: a key that is pressed again comes within that time. */
const stepShownMs = 1_500;

/**
 * Tells which second a mouse over the line, a thumb that is dragged, or a step points at; null when none does any more.
 * Returns what stops it.
 */
export function watchSeeking(
  quadrant: Quadrant,
  line: HTMLInputElement,
  show: (sought: Sought | null) => void,
): () => void {
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
