import type { KeyboardEvent, MouseEvent, PointerEvent } from 'react';
import { useEffect, useRef } from 'react';
import { after } from '#device/timers.ts';
import { remoteKeyOf } from '../platform/input/remote-keys.ts';

const longPressMs = 500;
const stillWithinPx = 10;

interface Press {
  x: number;
  y: number;
  cancel: () => void;
  /** Whether the press was long. The click after a long press is ignored. */
  isLong: boolean;
}

/** Listeners for a button that supports a long press by touch. A moving finger scrolls instead. */
export function useLongPress(onLongPress: () => void) {
  const press = useRef<Press>({ x: 0, y: 0, cancel: () => {}, isLong: false });
  const end = () => press.current.cancel();
  /** Some engines fire no click after a long touch: the click of a later press must not be ignored. */
  const forget = () => {
    end();
    press.current.isLong = false;
  };
  return {
    onKeyDown: forget,
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      forget();
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
    /** A long press opens no context menu of the picture. */
    onContextMenu: (event: MouseEvent) => {
      if (press.current.isLong) event.preventDefault();
    },
  };
}

interface Presses {
  onPress: () => void;
  onMenu: () => void;
}

/**
 * Listeners for a button with a menu: a click or a short OK presses it; a long touch, OK that is
 * held, the Menu key and the mouse's other button open the menu.
 */
export function usePresses({ onPress, onMenu }: Presses) {
  const longPress = useLongPress(onMenu);
  const ok = useRef<{ cancel: () => void } | null>(null);
  useEffect(() => () => ok.current?.cancel(), []);
  const letGo = () => {
    ok.current?.cancel();
    ok.current = null;
  };
  return {
    ...longPress,
    onClick: onPress,
    onBlur: letGo,
    onKeyDown: (event: KeyboardEvent) => {
      longPress.onKeyDown();
      const key = remoteKeyOf(event.nativeEvent);
      if (key !== 'ok' && key !== 'menu') return;
      event.preventDefault();
      if (key === 'menu') onMenu();
      if (key === 'menu' || event.repeat || ok.current) return;
      const cancel = after(longPressMs, () => {
        ok.current = null;
        ignoreRepeats();
        onMenu();
      });
      ok.current = { cancel };
    },
    onKeyUp: (event: KeyboardEvent) => {
      if (!ok.current || remoteKeyOf(event.nativeEvent) !== 'ok') return;
      letGo();
      onPress();
    },
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault();
      onMenu();
    },
  };
}

/** OK must not choose anything in the opened menu until it is let go. */
function ignoreRepeats(): void {
  const ignore = (event: globalThis.KeyboardEvent) => {
    if (event.repeat) event.preventDefault();
  };
  const end = () => {
    window.removeEventListener('keydown', ignore, true);
    window.removeEventListener('keyup', end, true);
  };
  window.addEventListener('keydown', ignore, true);
  window.addEventListener('keyup', end, true);
}
