import { after, now } from '#device/timers.ts';

type SwipeDirection = 'left' | 'right' | 'up' | 'down';

/**
 * Callbacks for touch and pen gestures. Each of these actions is also available by button and by
 * key.
 */
export interface Gestures {
  /**
   * The second tap of a double tap does not call it. It is called without delay, but in an outer
   * third only when no second tap has followed, if `onSteps` is given.
   */
  onTap?: () => void;
  onDoubleTap?: () => void;
  /**
   * Called for a double tap on the left or right third, with 1, and for each further tap there,
   * with one more. `isOver`: no other tap has followed it.
   */
  onSteps?: (direction: -1 | 1, count: number, isOver: boolean) => void;
  /** A finger that has not been lifted yet has moved to this side; null: it does so no more. */
  onPull?: (direction: 'left' | 'right' | null) => void;
  onSwipe?: (direction: SwipeDirection) => void;
  /** Called while the finger is still down. No tap follows. */
  onLongPress?: () => void;
  onPinch?: (direction: 'out' | 'in') => void;
}

/** The part of an element's width in which a tap was. */
export type Third = 'left' | 'middle' | 'right';

const doubleTapMs = 300;
/** A tap that may be the first of two waits so long. */
const outerTapMs = 250;
/** A further tap belongs to a double tap for so long. */
const furtherTapMs = 600;
const longPressMs = 500;
/** A finger that has moved less may still be lifted for a tap. */
const pulledFromPx = 16;
/** The scales at which a pinch is recognised. */
const pinchOutFrom = 1.15;
const pinchInFrom = 0.87;

/** Distinguishes the gestures of one touch, from `press` to `release`. */
export class GestureReader {
  private readonly gestures: Gestures;
  private lastTap: { at: number; third: Third } | null = null;
  /** The double tap in an outer third that further taps may follow. */
  private steps: { third: 'left' | 'right'; count: number } | null = null;
  private pulled: 'left' | 'right' | null = null;
  private isSpent = false;
  private cancelLongPress = () => {};
  private cancelTap = () => {};
  private cancelSteps = () => {};
  private pressedAt = 0;

  constructor(gestures: Gestures) {
    this.gestures = gestures;
  }

  /**
   * @param isAtEdge the finger is at a side of the window, where the system has gestures of its own
   * @param at milliseconds on the clock of the events: a busy page handles them later
   */
  press(isAtEdge = false, at = now()): void {
    this.isSpent = isAtEdge;
    this.pressedAt = at;
    // A tap in an outer third waits for this one, whenever the finger is lifted.
    this.cancelTap();
    this.cancelLongPress();
    if (isAtEdge) return;
    this.cancelLongPress = after(longPressMs, () => {
      this.isSpent = true;
      this.gestures.onLongPress?.();
    });
  }

  /** Cancels the long press: the finger moves, or another one joins it. */
  move(): void {
    this.cancelLongPress();
  }

  /** @param at as of `press` */
  tap(third: Third = 'middle', at = now()): void {
    this.cancelLongPress();
    if (this.isSpent) return;
    if (this.steps?.third === third) {
      this.addStep(third);
      return;
    }
    this.endSteps();
    const { onTap, onDoubleTap, onSteps } = this.gestures;
    const outer = onSteps && third !== 'middle' ? third : null;
    const { lastTap } = this;
    const isSoon = lastTap !== null && this.pressedAt - lastTap.at <= doubleTapMs;
    const isSecond = isSoon && lastTap.third === third && onDoubleTap !== undefined;
    this.lastTap = isSecond ? null : { at, third };
    if (isSecond) outer ? this.addStep(outer) : onDoubleTap();
    else if (outer) this.cancelTap = after(outerTapMs, () => onTap?.());
    else onTap?.();
  }

  /** @param x how far the finger has moved, in CSS pixels @param y likewise */
  pull(x: number, y: number): void {
    const isSideways = !this.isSpent && Math.abs(x) >= pulledFromPx && Math.abs(x) > Math.abs(y);
    this.setPulled(isSideways ? (x < 0 ? 'left' : 'right') : null);
  }

  /** @param x @param y -1, 0 or 1 on each axis */
  swipe(x: number, y: number): void {
    this.cancelLongPress();
    this.setPulled(null);
    if (this.isSpent || (x === 0 && y === 0)) return;
    this.isSpent = true;
    if (x !== 0) this.gestures.onSwipe?.(x < 0 ? 'left' : 'right');
    else this.gestures.onSwipe?.(y < 0 ? 'up' : 'down');
  }

  /** @param scale distance of two fingers, divided by their distance at the start */
  pinch(scale: number): void {
    this.cancelLongPress();
    const direction = scale >= pinchOutFrom ? 'out' : scale <= pinchInFrom ? 'in' : null;
    if (this.isSpent || direction === null) return;
    this.isSpent = true;
    this.gestures.onPinch?.(direction);
  }

  /** The last finger was lifted. */
  release(): void {
    this.cancelLongPress();
    this.setPulled(null);
  }

  /** The element is gone: what waits for another tap happens now. */
  end(): void {
    this.cancelLongPress();
    this.cancelTap();
    this.endSteps();
  }

  private setPulled(direction: 'left' | 'right' | null): void {
    if (direction === this.pulled) return;
    this.pulled = direction;
    this.gestures.onPull?.(direction);
  }

  private addStep(third: 'left' | 'right'): void {
    this.cancelSteps();
    this.steps = { third, count: (this.steps?.count ?? 0) + 1 };
    this.cancelSteps = after(furtherTapMs, () => this.endSteps());
    this.tellSteps(this.steps, false);
  }

  private endSteps(): void {
    const { steps } = this;
    this.cancelSteps();
    this.steps = null;
    if (steps) this.tellSteps(steps, true);
  }

  private tellSteps({ third, count }: { third: 'left' | 'right'; count: number }, isOver: boolean): void {
    this.gestures.onSteps?.(third === 'left' ? -1 : 1, count, isOver);
  }
}
