import { createUseGesture, dragAction, pinchAction } from '@use-gesture/react';
import type { RefObject } from 'react';
import { useEffect, useMemo, useRef } from 'react';
import type { Gestures, Third } from './gesture-reader.ts';
import { GestureReader } from './gesture-reader.ts';

const useDragAndPinch = createUseGesture([dragAction, pinchAction]);

/** Elements that handle touches themselves. */
const ownTouch = 'button, a, input, select, textarea, [role="slider"]';

interface Props {
  target: RefObject<HTMLElement | null>;
  /** The same object on every render. */
  gestures: Gestures;
}

/**
 * Listens to touch and pen gestures on an element whose `touch-action` leaves them to the page.
 * Renders nothing. A mouse has click and double click, a keyboard its keys: the library's arrow
 * keys are off.
 */
export function GestureListener({ target, gestures }: Props): null {
  const reader = useMemo(() => new GestureReader(gestures), [gestures]);
  useEffect(() => () => reader.end(), [reader]);
  useDragAndPinch(
    {
      onPointerDown: ({ event }) => {
        if (event.isPrimary) reader.forget();
        if (isOurs(event)) reader.press(event.pointerId, isAtEdge(event), event.timeStamp);
      },
      onPointerUp: ({ event }) => reader.release(event.pointerId),
      onPointerCancel: ({ event }) => reader.release(event.pointerId),
      onDrag: ({ event, last, xy, initial, pinching, canceled, cancel, memo: hasMoved = false }) => {
        // The system took a cancelled pointer for a palm or for a gesture of its own.
        if (!isOurs(event) || canceled || event.type === 'pointercancel') return;
        if (pinching) return cancel();
        const [x, y] = [xy[0] - initial[0], xy[1] - initial[1]];
        const isMoved = hasMoved || Math.abs(x) > stillWithinPx || Math.abs(y) > stillWithinPx;
        if (!last) reader.move(x, y, event.timeStamp, !isMoved);
        else if (isMoved) reader.lift(event.timeStamp);
        else reader.tap(thirdOf(target.current, xy[0]), event.timeStamp, xy[0]);
        return isMoved;
      },
      onPinch: ({ movement: [scale] }) => reader.pinch(scale),
    },
    { target, drag: { pointer: { keys: false, capture: false } }, pinch: { pinchOnWheel: false } },
  );
  return null;
}

/** The events of a drag handle. Coordinates are the pointer's in the window, in CSS pixels. */
interface Drags {
  onStart: () => void;
  onMove: (x: number, y: number) => void;
  onDrop: () => void;
  /** The browser cancelled the pointer. */
  onCancel: () => void;
}

/**
 * Listens to drags of a handle, by any pointer. A press without a move stays a click; a drag does
 * not end in one.
 */
export function useHandle(target: RefObject<HTMLElement | null>, { onStart, onMove, onDrop, onCancel }: Drags): void {
  const clicks = useClicks();
  useDragAndPinch(
    {
      ...clicks.handlers,
      onDrag: ({ event, first, last, xy }) => {
        clicks.refuse();
        if (first) onStart();
        onMove(...xy);
        if (last && event.type === 'pointerup') onDrop();
        else if (last) onCancel();
      },
    },
    { target, drag: { threshold: stillWithinPx, pointer: { keys: false } } },
  );
}

/**
 * The events of an element that is dragged down to close it. Distances are CSS pixels below the
 * start of the drag, at least 0.
 */
interface DownDrags {
  onMove: (distance: number) => void;
  /** `isFlung`: the drag ended in a quick swipe down. */
  onDrop: (distance: number, isFlung: boolean) => void;
  /** The browser cancelled the pointer. */
  onCancel: () => void;
}

/** Listens to drags downwards, by any pointer. A press without a move stays a click. */
export function useDragDown(target: RefObject<HTMLElement | null>, { onMove, onDrop, onCancel }: DownDrags): void {
  const clicks = useClicks();
  useDragAndPinch(
    {
      ...clicks.handlers,
      onDrag: ({ event, last, movement: [, y], swipe: [, direction] }) => {
        clicks.refuse();
        const distance = Math.max(0, y);
        if (!last) onMove(distance);
        else if (event.type === 'pointerup') onDrop(distance, direction > 0);
        else onCancel();
      },
    },
    {
      target,
      drag: {
        axis: 'y',
        threshold: stillWithinPx,
        pointer: { keys: false },
        swipe: { duration: swipeWithinMs },
      },
    },
  );
}

/**
 * Lets no drag end in a click. The library's own filter counts the length of all small movements
 * of an unsteady finger, and takes its click as well.
 */
function useClicks() {
  const hasDragged = useRef(false);
  const note = (isDrag: boolean) => {
    hasDragged.current = isDrag;
  };
  return {
    refuse: () => note(true),
    handlers: {
      onPointerDown: () => note(false),
      onClickCapture: ({ event }: { event: MouseEvent }) => {
        if (!hasDragged.current || event.detail === 0) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}

const stillWithinPx = 10;
const swipeWithinMs = 400;
/** Systems have gestures of their own at the sides of the window. */
const edgePx = 24;

function isAtEdge(event: Event): boolean {
  const { clientX } = event as PointerEvent;
  return clientX < edgePx || clientX > window.innerWidth - edgePx;
}

function thirdOf(element: HTMLElement | null, x: number): Third {
  const { left = 0, width = 0 } = element?.getBoundingClientRect() ?? {};
  const share = width > 0 ? (x - left) / width : 1 / 2;
  if (share < 1 / 3) return 'left';
  return share > 2 / 3 ? 'right' : 'middle';
}

function isOurs(event: Event): boolean {
  const isMouse = 'pointerType' in event && event.pointerType === 'mouse';
  return !isMouse && !(event.target instanceof Element && event.target.closest(ownTouch));
}
