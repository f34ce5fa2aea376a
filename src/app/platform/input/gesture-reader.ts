import { after, now } from '#device/timers.ts';

type Side = 'left' | 'right';

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
  onPull?: (direction: Side | null) => void;
  onSwipe?: (direction: Side) => void;
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
/** A swipe goes at least this far, and this fast at its end. The pixels are those of CSS. */
const swipePx = 48;
const swipePxPerMs = 0.3;
/** Speed is measured over this time: the last move alone is often the smallest. */
const speedOverMs = 100;
/** A further tap that is this near to the one before is meant for the same third. */
const samePlacePx = 32;
/** The scales at which a pinch is recognised. */
const pinchOutFrom = 1.15;
const pinchInFrom = 0.87;

/** The distance of a finger from its start, in CSS pixels, at a time of the clock of the events. */
interface Move {
  x: number;
  y: number;
  at: number;
}

/** Distinguishes the gestures of one touch, from the first `press` to the last `release`. */
export class GestureReader {
  private readonly gestures: Gestures;
  private readonly fingers = new Set<number>();
  private lastTap: { at: number; third: Third } | null = null;
  /** The place of the last tap, also of one that ended a double tap. */
  private lastPlace: { x: number; third: Third } | null = null;
  /** The double tap in an outer third that further taps may follow. */
  private steps: { third: Side; count: number } | null = null;
  private pulled: Side | null = null;
  /** The moves of the last moment. */
  private moves: Move[] = [];
  private isSpent = false;
  /** Two fingers pinch and do nothing else. */
  private isShared = false;
  private cancelLongPress = () => {};
  private cancelTap = () => {};
  private cancelSteps = () => {};
  private pressedAt = 0;

  constructor(gestures: Gestures) {
    this.gestures = gestures;
  }

  /**
   * @param finger the number of the pointer
   * @param isAtEdge the finger is at a side of the window, where the system has gestures of its own
   * @param at milliseconds on the clock of the events: a busy page handles them later
   */
  press(finger = 1, isAtEdge = false, at = now()): void {
    // A tap in an outer third waits for this one, whenever the finger is lifted.
    this.cancelTap();
    this.cancelLongPress();
    this.fingers.add(finger);
    if (this.fingers.size > 1) {
      this.isShared = true;
      // More than two are a hand that lies there.
      this.isSpent ||= isAtEdge || this.fingers.size > 2;
      this.setPulled(null);
      return;
    }
    this.isSpent = isAtEdge;
    this.isShared = false;
    this.pressedAt = at;
    this.moves = [{ x: 0, y: 0, at }];
    if (isAtEdge) return;
    this.cancelLongPress = after(longPressMs, () => {
      this.isSpent = true;
      this.gestures.onLongPress?.();
    });
  }

  /**
   * @param x how far the finger has moved, in CSS pixels @param y likewise @param at as of `press`
   * @param isStill it may still be lifted for a tap, or stay for a long press
   */
  move(x: number, y: number, at = now(), isStill = false): void {
    this.moves = [...this.moves.filter((one) => at - one.at <= speedOverMs), { x, y, at }];
    if (!isStill) this.cancelLongPress();
    const isSideways = Math.abs(x) >= pulledFromPx && Math.abs(x) > Math.abs(y);
    this.setPulled(isSideways && !this.isSpent && !this.isShared ? sideOf(x) : null);
  }

  /** @param at as of `press` @param x its place in the window, in CSS pixels */
  tap(aimed: Third = 'middle', at = now(), x = Number.NaN): void {
    this.cancelLongPress();
    if (this.isSpent || this.isShared) return;
    const third = this.thirdMeant(aimed, x);
    this.lastPlace = { x, third };
    if (this.steps?.third === third) {
      this.addStep(third);
      return;
    }
    this.endSteps();
    const { onTap, onDoubleTap, onSteps } = this.gestures;
    const outer = onSteps && third !== 'middle' ? third : null;
    const { lastTap } = this;
    const isSecond = this.isSoon() && lastTap?.third === third && onDoubleTap !== undefined;
    this.lastTap = isSecond ? null : { at, third };
    if (isSecond) outer ? this.addStep(outer) : onDoubleTap();
    else if (outer) this.cancelTap = after(outerTapMs, () => onTap?.());
    else onTap?.();
  }

  /** The finger that moved is lifted. @param at as of `press` */
  lift(at = now()): void {
    this.cancelLongPress();
    this.setPulled(null);
    if (this.isSpent || this.isShared) return;
    const last = this.moves[this.moves.length - 1];
    const first = this.moves.find((one) => at - one.at <= speedOverMs);
    if (!last || !first || Math.abs(last.x) < swipePx) return;
    if (Math.abs(last.x) <= Math.abs(last.y)) return;
    const side = sideOf(last.x);
    // A finger that goes back has changed its mind.
    const pxPerMs = (side === 'left' ? first.x - last.x : last.x - first.x) / (at - first.at);
    if (pxPerMs >= swipePxPerMs) this.gestures.onSwipe?.(side);
  }

  /** @param scale distance of two fingers, divided by their distance at the start */
  pinch(scale: number): void {
    this.cancelLongPress();
    const direction = scale >= pinchOutFrom ? 'out' : scale <= pinchInFrom ? 'in' : null;
    if (this.isSpent || direction === null) return;
    this.isSpent = true;
    this.gestures.onPinch?.(direction);
  }

  /** A finger was lifted, or the system has taken it away. */
  release(finger = 1): void {
    this.fingers.delete(finger);
    this.cancelLongPress();
    this.setPulled(null);
  }

  /** Fingers that were lifted elsewhere are gone: the next one is the first. */
  forget(): void {
    this.fingers.clear();
  }

  /** The element is gone: what waits for another tap happens now. */
  end(): void {
    this.cancelLongPress();
    this.cancelTap();
    this.endSteps();
  }

  private isSoon(): boolean {
    return this.lastTap !== null && this.pressedAt - this.lastTap.at <= doubleTapMs;
  }

  private thirdMeant(aimed: Third, x: number): Third {
    const { lastPlace } = this;
    const isFurther = this.steps !== null || this.isSoon();
    const isNear = lastPlace !== null && Math.abs(x - lastPlace.x) <= samePlacePx;
    return isFurther && isNear ? lastPlace.third : aimed;
  }

  private setPulled(direction: Side | null): void {
    if (direction === this.pulled) return;
    this.pulled = direction;
    this.gestures.onPull?.(direction);
  }

  private addStep(third: Side): void {
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

  private tellSteps({ third, count }: { third: Side; count: number }, isOver: boolean): void {
    this.gestures.onSteps?.(third === 'left' ? -1 : 1, count, isOver);
  }
}

function sideOf(x: number): Side {
  return x < 0 ? 'left' : 'right';
}
