import type { MouseEvent, PointerEvent } from 'react';
import { useRef } from 'react';
import { after } from '#app/platform/timers.ts';

const longPressMs = 500;
const stillWithinPx = 10;

interface Press {
  x: number;
  y: number;
  cancel: () => void;
  /** It was long: the click that follows is none. */
  isLong: boolean;
}

/** The listeners of a button that a finger can also press long. A finger that moves scrolls. */
export function useLongPress(onLongPress: () => void) {
  const press = useRef<Press>({ x: 0, y: 0, cancel: () => {}, isLong: false });
  const end = () => press.current.cancel();
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      end();
      if (pointerType === 'mouse') return;
      const begun: Press = { x, y, cancel: () => {}, isLong: false };
      begun.cancel = after(longPressMs, () => {
        begun.isLong = true;
        onLongPress();
      });
      press.current = begun;
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const { x, y } = press.current;
      if (Math.abs(clientX - x) > stillWithinPx || Math.abs(clientY - y) > stillWithinPx) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
    onClickCapture: (event: MouseEvent) => {
      if (!press.current.isLong) return;
      press.current.isLong = false;
      event.preventDefault();
      event.stopPropagation();
    },
    /** Of the picture under the finger. */
    onContextMenu: (event: MouseEvent) => {
      if (press.current.isLong) event.preventDefault();
    },
  };
}
