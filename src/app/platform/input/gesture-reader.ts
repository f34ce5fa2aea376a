import { after, now } from '../timers.ts';

export type SwipeDirection = 'left' | 'right' | 'up' | 'down';

/** What fingers and pens can say. Every one of them has a button and a key beside it. */
export interface Gestures {
  /** At once. The second tap of a double tap is none. */
  onTap?: () => void;
  onDoubleTap?: () => void;
  onSwipe?: (direction: SwipeDirection) => void;
  /** While the finger is still down. No tap follows. */
  onLongPress?: () => void;
  onPinch?: (direction: 'out' | 'in') => void;
}

const doubleTapMs = 300;
const longPressMs = 500;
/** How much two fingers have to spread or close before it is meant. */
const pinchOutFrom = 1.15;
const pinchInFrom = 0.87;

/** Tells the gestures apart. It hears what a touch does, from `press` to `lift`. */
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

  /** The finger moves away, or another one joins it: it will not have been a long press. */
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

  /** @param scale how far two fingers are apart, over how far they were */
  pinch(scale: number): void {
    this.cancelLongPress();
    const direction = scale >= pinchOutFrom ? 'out' : scale <= pinchInFrom ? 'in' : null;
    if (this.isSpent || direction === null) return;
    this.isSpent = true;
    this.gestures.onPinch?.(direction);
  }

  /** All fingers are gone. */
  release(): void {
    this.cancelLongPress();
  }
}
