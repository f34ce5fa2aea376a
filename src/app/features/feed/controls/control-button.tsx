import type { KeyboardEvent, MouseEvent, PointerEvent, ReactNode, Ref } from 'react';
import { useEffect, useRef } from 'react';
import type { Direction } from '#app/platform/input/focus-geometry.ts';
import { moveFocus } from '#app/platform/input/remote-focus.ts';
import { Range } from '#app/ui/form/range.tsx';
import { after } from '#device/timers.ts';
import styles from './control-button.module.css';
import { holdControls, releaseControls } from './controls-store.ts';

interface ControlButtonProps {
  /** The accessible name. */
  label: string;
  /**
   * The tooltip, and on a TV the label above the focused button, where it says more than the name.
   */
  tip?: string | undefined;
  icon: ReactNode;
  onPress: () => void;
  /** A press of half a second, or a held key, does this in place of `onPress`. */
  onHold?: () => void;
  /** The keyboard shortcut for the same action. */
  hint?: string | undefined;
  /** The state is on, such as pinned. */
  isOn?: boolean;
  /** The button is shown and focusable, but has no effect. */
  isOff?: boolean;
  isFirst?: boolean;
  className?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/**
 * A button over a video. It keeps the focus when it is off, so that its tooltip can explain why.
 */
export function ControlButton({
  label,
  tip = label,
  icon,
  onPress,
  onHold,
  hint,
  isOn = false,
  isOff = false,
  isFirst = false,
  className,
  ref,
}: ControlButtonProps) {
  const hold = useHold(onHold);
  return (
    <button
      ref={ref}
      type="button"
      className={[styles.tile, isOn ? styles.on : '', hint ? styles.hinted : '', className].join(' ')}
      aria-label={label}
      title={tip}
      data-tip={tip}
      aria-keyshortcuts={hint}
      aria-disabled={isOff || undefined}
      data-focus-first={isFirst || undefined}
      onClick={() => hold.endsHold() || isOff || onPress()}
      {...(onHold && hold.handlers)}
    >
      {icon}
      {hint && <span className={styles.hint} data-key={hint} />}
    </button>
  );
}

const heldAfterMs = 500;

/**
 * A press that lasts, by a finger, the mouse's main button or a key. The click that ends it has no
 * effect.
 */
function useHold(onHold: (() => void) | undefined) {
  const press = useRef({ isHeld: false, isDown: false, cancel: () => {} }).current;
  useEffect(() => () => press.cancel(), [press]);
  const hold = () => {
    press.isHeld = true;
    onHold?.();
  };
  const begin = () => {
    press.cancel();
    Object.assign(press, { isDown: true, isHeld: false, cancel: after(heldAfterMs, hold) });
  };
  const end = () => {
    press.cancel();
    press.isDown = false;
  };
  return {
    /** Whether a click ends such a press; false the next time. */
    endsHold() {
      const { isHeld } = press;
      press.isHeld = false;
      return isHeld;
    },
    handlers: {
      onPointerDown: ({ button }: PointerEvent) => button === 0 && begin(),
      onPointerUp: end,
      onPointerCancel: end,
      onPointerLeave: end,
      onKeyDown(event: KeyboardEvent) {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        if (!event.repeat) press.isHeld = false;
        else if (!press.isHeld) hold();
        if (event.repeat) event.preventDefault();
      },
      // The system's long press would open the quadrant's menu.
      onContextMenu(event: MouseEvent) {
        if (!press.isDown) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}

interface SliderProps {
  label: string;
  className?: string | undefined;
  ref?: Ref<HTMLInputElement>;
  max?: number;
  step?: number;
  /** The slider shows its value but cannot be moved. */
  isOff?: boolean;
  /** A value of 0 to `max`. When omitted, the owner of the `ref` writes it. */
  value?: number;
  onMove?: (value: number) => void;
  /** Called for the left and right keys, in place of moving by `step`. */
  onStep?: (direction: -1 | 1) => void;
}

const steps: Record<string, -1 | 1> = { ArrowLeft: -1, ArrowRight: 1 };
/** The browser would move the thumb with these keys as well. */
const ways: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down' };

/** A slider over a video. The controls stay visible while its thumb is held. */
export function Slider({
  label,
  className,
  ref,
  max = 1,
  step = 0.1,
  isOff = false,
  value,
  onMove,
  onStep,
}: SliderProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const [step, way] = [onStep && steps[event.key], ways[event.key]];
    if (!step && !way) return;
    event.preventDefault();
    if (step) onStep?.(step);
    if (way) moveFocus(way);
  };
  return (
    <Range
      ref={ref}
      className={`${styles.slider} ${className ?? ''}`}
      aria-label={label}
      min={0}
      max={max}
      step={step}
      disabled={isOff}
      {...(value === undefined
        ? { defaultValue: 0 }
        : { value, style: { '--at': value / max } as React.CSSProperties })}
      onChange={(event) => onMove?.(Number(event.target.value))}
      data-keeps-arrows={onStep ? '' : undefined}
      onKeyDown={onKeyDown}
      onPointerDown={holdControls}
      onPointerUp={releaseControls}
      onPointerCancel={releaseControls}
    />
  );
}
