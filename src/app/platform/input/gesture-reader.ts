import { after, now } from '#device/timers.ts';

type SwipeDirection = 'left' | 'right' | 'up' | 'down';

/**
 * Callbacks for touch and pen gestures. Each of these actions is also available by button and by
 * key.
 */
export interface Gestures {
  /** Called without delay, but not for the second tap of a double tap. */
  onTap?: () => void;
  onDoubleTap?: () => void;
  onSwipe?: (direction: SwipeDirection) => void;
  /** Called while the finger is still down. No tap follows. */
  onLongPress?: () => void;
  onPinch?: (direction: 'out' | 'in') => void;
}

const doubleTapMs = 300;
const longPressMs = 500;
/** The scales at which a pinch is recognised. */
const pinchOutFrom = 1.15;
const pinchInFrom = 0.87;

/** Distinguishes the gestures of one touch, from `press` to `release`. */
export class GestureReader {
  private readonly gestures: Gestures;
  private lastTapAt = Number.NEGATIVE_INFINITY;
  private isSpent = false;
  private cancelLongPress = () => {};

  constructor(gestures: Gestures) {
    this.gestures = gestures;
  }

  press(): void {
    this.isSpent = false;
    this.cancelLongPress();
    this.cancelLongPress = after(longPressMs, () => {
      this.isSpent = true;
      this.gestures.onLongPress?.();
    });
  }

  /** Cancels the long press: the finger moves, or another one joins it. */
  move(): void {
    this.cancelLongPress();
  }

  tap(): void {
    this.cancelLongPress();
    if (this.isSpent) return;
    const isSecond = this.gestures.onDoubleTap !== undefined && now() - this.lastTapAt <= doubleTapMs;
    this.lastTapAt = isSecond ? Number.NEGATIVE_INFINITY : now();
    if (isSecond) this.gestures.onDoubleTap?.();
    else this.gestures.onTap?.();
  }

  /** @param x @param y -1, 0 or 1 on each axis */
  swipe(x: number, y: number): void {
    this.cancelLongPress();
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
  }
}
