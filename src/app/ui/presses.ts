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
  /** Whether the press was long. */
  isLong: boolean;
}

/** Listeners for a button that supports a long press by touch. A moving finger scrolls instead. */
export function useLongPress(onLongPress: () => void) {
  const press = useRef<Press>({ x: 0, y: 0, cancel: () => {}, isLong: false });
  const end = () => press.current.cancel();
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
        refuseClickOfPress();
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

/**
 * Refuses the click that some engines fire when the finger of a long press is lifted: it would press
 * what has opened under the finger. Other engines fire none, so that it waits a moment only.
 */
export function refuseClickOfPress(): void {
  const refuse = (event: Event) => {
    end();
    event.preventDefault();
    event.stopPropagation();
  };
  const lift = () => void after(clickWithinMs, end);
  const end = () => {
    for (const [type, listener] of heard) window.removeEventListener(type, listener, true);
  };
  const heard = Object.entries({ click: refuse, pointerup: lift, pointercancel: lift, pointerdown: end, keydown: end });
  for (const [type, listener] of heard) window.addEventListener(type, listener, true);
}

/** The longest time between the lifted finger and its click. */
const clickWithinMs = 400;
