/** A pointer event as a touch screen gives it. Times are milliseconds from the first one, places CSS pixels. */
export interface FingerEvent {
  at: number;
  type: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel' | 'contextmenu' | 'dblclick' | 'click';
  finger: number;
  x: number;
  y: number;
  /** Diameter of the contact. */
  size: number;
  pressure: number;
}

/** What somebody does in the top left or top right quadrant, and what the quadrant should be told. */
export interface Trace {
  name: string;
  quadrant: 'top-left' | 'top-right';
  /** The quadrant is the only one on screen when it begins. */
  isExpanded: boolean;
  events: FingerEvent[];
  expected: string[];
}

/** A window with four quadrants. */
export interface ScreenSize {
  width: number;
  height: number;
}

/** A touch screen: how often it tells where a finger is, and how exactly. */
interface TouchScreen {
  eventsPerSecond: number;
  /** Places are wrong by so many pixels at most. */
  errorPx: number;
  /** Moves are kept back until the finger has gone this far. */
  slopPx: number;
  /** The last move is told once more before the finger is lifted. */
  repeatsLast: boolean;
  /** A long press opens the menu of the browser, else it ends in a click; a double tap counts as a double click. */
  hasMouseEvents: boolean;
}

type Point = readonly [number, number];

interface Stroke {
  finger?: number;
  from: Point;
  /** @param share of the time that has passed, 0 to 1 @returns pixels from the start */
  way?: (share: number) => Point;
  begins?: number;
  ms: number;
  size?: number;
  end?: 'pointerup' | 'pointercancel';
}

/** Whoever taps stays this far from the sides of the window. */
const edgePx = 26;

/** Writes traces of one screen, which are the same for the same seed. */
export class FingerTraces {
  private readonly below: (limit: number) => number;
  private readonly screen: TouchScreen;
  readonly window: ScreenSize;
  private readonly quadrant: Trace['quadrant'];

  constructor(seed: number, windows: readonly ScreenSize[]) {
    this.below = seededRandom(seed);
    this.window = this.oneOf(windows);
    this.quadrant = this.oneOf(['top-left', 'top-right'] as const);
    this.screen = {
      eventsPerSecond: this.oneOf([60, 90, 120, 240]),
      errorPx: this.oneOf([0, 0.5, 1.5]),
      slopPx: this.oneOf([0, 15]),
      repeatsLast: this.below(2) === 0,
      hasMouseEvents: this.below(2) === 0,
    };
  }

  /** @param kind one of `kinds` */
  trace(kind: string): Trace {
    const { events, expected, isExpanded = false } = (kinds[kind] as Kind)(this);
    const sorted = events.flat().sort((one, other) => one.at - other.at);
    return { name: kind, quadrant: this.quadrant, isExpanded, events: sorted, expected };
  }

  between = (least: number, most: number) => least + this.below(1 + Math.round((most - least) * 100)) / 100;
  whole = (least: number, most: number) => least + this.below(most - least + 1);
  oneOf = <T>(values: readonly T[]): T => values[this.below(values.length)] as T;
  sign = () => this.oneOf([-1, 1] as const);

  /** The window and the quadrant that is touched. */
  describe(): string {
    const { width, height } = this.window;
    return `${this.quadrant} of ${width}×${height}, ${JSON.stringify(this.screen)}`;
  }

  get left(): number {
    return this.quadrant === 'top-left' ? 0 : this.window.width / 2;
  }

  get width(): number {
    return this.window.width / 2;
  }

  get height(): number {
    return this.window.height / 2;
  }

  /** A place in a third, away from its borders and from the sides of the window. */
  inThird(third: 'left' | 'middle' | 'right'): Point {
    const part = this.width / 3;
    const start = this.left + ['left', 'middle', 'right'].indexOf(third) * part;
    const least = Math.max(start + 6, edgePx);
    const most = Math.min(start + part - 6, this.window.width - edgePx);
    return [this.between(least, most), this.between(20, this.height - 20)];
  }

  /** A place from which a finger can go so far to both sides within the window. */
  inside(): Point {
    return this.inThird('middle');
  }

  taps(count: number, first: Point, begins = 0): FingerEvent[] {
    const events: FingerEvent[] = [];
    let at = begins;
    for (let tap = 0; tap < count; tap += 1) {
      const spread = tap === 0 ? 0 : 9;
      const x = first[0] + this.between(-spread, spread);
      const from: Point = [
        Math.min(Math.max(x, edgePx), this.window.width - edgePx),
        first[1] + this.between(-spread, spread),
      ];
      const ms = this.between(35, 130);
      const roll: Point = [this.between(-4, 4), this.between(-4, 4)];
      events.push(
        ...this.stroke({ finger: tap + 1, from, way: (share) => [roll[0] * share, roll[1] * share], begins: at, ms }),
      );
      at += ms;
      if (tap === 1 && this.screen.hasMouseEvents)
        events.push({ ...(events[events.length - 1] as FingerEvent), type: 'dblclick' });
      at += this.between(50, 160);
    }
    return events;
  }

  longPress(ms: number): FingerEvent[] {
    const from = this.inThird(this.oneOf(['left', 'middle', 'right']));
    const roll = this.between(-5, 5);
    const events = this.stroke({ from, way: (share) => [roll * share, -roll * share], ms });
    const menu: FingerEvent = { ...(events[0] as FingerEvent), type: 'contextmenu', at: this.between(480, 540) };
    const click: FingerEvent = { ...(events[events.length - 1] as FingerEvent), type: 'click' };
    return [...events, this.screen.hasMouseEvents ? menu : click];
  }

  stroke({ finger = 1, from, way = () => [0, 0], begins = 0, ms, size = this.between(8, 34), end }: Stroke) {
    const { errorPx, slopPx, repeatsLast } = this.screen;
    const period = 1_000 / this.screen.eventsPerSecond;
    const events: FingerEvent[] = [];
    let told: Point = from;
    const tell = (type: FingerEvent['type'], at: number, [x, y]: Point) =>
      void events.push({ at, type, finger, x, y, size, pressure: this.between(0.1, 0.9) });
    tell('pointerdown', begins, from);
    let isMoving = slopPx === 0;
    for (let at = period; at < ms; at += period * this.between(0.7, 1.3)) {
      // A busy system leaves some of them out.
      if (this.below(30) === 0) at += 2 * period;
      if (at >= ms) break;
      const [x, y] = way(at / ms);
      isMoving ||= Math.hypot(x, y) > slopPx;
      if (!isMoving) continue;
      told = [from[0] + x + this.between(-errorPx, errorPx), from[1] + y + this.between(-errorPx, errorPx)];
      tell('pointermove', begins + at, told);
    }
    if (repeatsLast && isMoving) tell('pointermove', begins + ms - this.between(0.1, 2), told);
    tell(end ?? 'pointerup', begins + ms, told);
    return events;
  }
}

/** Whole numbers below a limit, the same for the same seed (mulberry32). */
function seededRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

type Kind = (by: FingerTraces) => Pick<Trace, 'expected'> & { events: FingerEvent[][]; isExpanded?: boolean };

/** From one place to another: evenly, ever faster, or slowing down to half of the mean speed. */
function flick(by: FingerTraces, x: number, y: number): (share: number) => Point {
  const ease = by.oneOf([(share: number) => share, (share: number) => share ** 1.5, slowDown]);
  return (share) => [x * ease(share), y * ease(share)];
}

const slowDown = (share: number) => 1.5 * share - 0.5 * share ** 2;

const stretch = (from: number, to: number) => (share: number) => from + (to - from) * share;

/** Two fingers whose distance becomes another one. */
function pinch(by: FingerTraces, from: number, to: number): FingerEvent[][] {
  const angle = by.between(0, Math.PI);
  const [x, y] = [by.left + by.width / 2, by.height / 2];
  const ms = by.between(180, 500);
  // One of the fingers may stay where it is.
  const share = by.oneOf([0, 0.5, 1]);
  const grown = to - from;
  return [-1, 1].map((side) => {
    const own = side < 0 ? share : 1 - share;
    const [dx, dy] = [side * Math.cos(angle), side * Math.sin(angle)];
    return by.stroke({
      finger: side < 0 ? 1 : 2,
      from: [x + (dx * from) / 2, y + (dy * from) / 2],
      way: (passed) => [dx * grown * own * passed, dy * grown * own * passed],
      begins: side < 0 ? 0 : by.between(0, 60),
      ms: ms + by.between(0, 60),
    });
  });
}

/** Fingers that come down within a moment and rest or roll a little. */
function resting(by: FingerTraces, count: number, ms: number, size: number): FingerEvent[][] {
  return Array.from({ length: count }, (_, finger) => {
    const from: Point = [
      by.left + (by.width * (finger + 1)) / (count + 1),
      by.height / 2 + by.between(-by.height / 4, by.height / 4),
    ];
    const roll: Point = [by.between(-6, 6), by.between(-6, 6)];
    return by.stroke({
      finger: finger + 1,
      from,
      way: (share) => [roll[0] * share, roll[1] * share],
      begins: by.between(0, 50),
      ms: ms + by.between(0, 80),
      size: size + by.between(0, 10),
    });
  });
}

const sideOf = (direction: -1 | 1) => (direction < 0 ? 'left' : 'right');

/** What people do with their fingers, and what is meant by it. */
export const kinds: Readonly<Record<string, Kind>> = {
  tap: (by) => ({ events: [by.taps(1, by.inThird(by.oneOf(['left', 'middle', 'right'])))], expected: ['controls'] }),
  'double tap at a side': (by) => {
    const direction = by.sign();
    return { events: [by.taps(2, by.inThird(sideOf(direction)))], expected: [`seek ${direction}`] };
  },
  'three to five taps at a side': (by) => {
    const [count, direction] = [by.whole(3, 5), by.sign()];
    return { events: [by.taps(count, by.inThird(sideOf(direction)))], expected: [`seek ${direction * (count - 1)}`] };
  },
  'double tap in the middle': (by) => ({
    events: [by.taps(2, by.inThird('middle'))],
    expected: ['controls', 'expand'],
  }),
  swipe: (by) => {
    const direction = by.sign();
    const [far, speed] = [by.between(64, 130), by.between(0.55, 1.6)];
    const way = flick(by, direction * far, by.between(-0.35, 0.35) * far);
    return {
      events: [by.stroke({ from: by.inside(), way, ms: far / speed })],
      expected: [direction < 0 ? 'skip' : 'back'],
    };
  },
  'pull that ends in a swipe': (by) => {
    const direction = by.sign();
    const [slow, fast] = [by.between(20, 30), by.between(50, 80)];
    // The last fifth of the time takes it from `slow` to the end.
    const way = (share: number): Point => [
      direction * (share < 0.8 ? (slow * share) / 0.8 : slow + (fast * (share - 0.8)) / 0.2),
      0,
    ];
    return {
      events: [by.stroke({ from: by.inside(), way, ms: by.between(480, 600) })],
      expected: [direction < 0 ? 'skip' : 'back'],
    };
  },
  'swipe up or down': (by) => {
    const [far, speed] = [by.between(70, 95), by.between(0.55, 1.6)];
    const way = flick(by, by.between(-0.7, 0.7) * far, by.sign() * far);
    const from: Point = [by.inside()[0], by.height / 2];
    return { events: [by.stroke({ from, way, ms: far / speed })], expected: [] };
  },
  'slow drag': (by) => {
    const far = by.sign() * by.between(60, 130);
    const way = (share: number): Point => [far * share, 0];
    return {
      events: [by.stroke({ from: by.inside(), way, ms: Math.abs(far) / by.between(0.05, 0.17) })],
      expected: [],
    };
  },
  'pull that is taken back': (by) => {
    const far = by.sign() * by.between(90, 120);
    const back = by.between(0, 0.6);
    const way = (share: number): Point => [far * (share < 0.5 ? 2 * share : stretch(1, back)(2 * share - 1)), 0];
    return { events: [by.stroke({ from: by.inside(), way, ms: by.between(260, 380) })], expected: [] };
  },
  'short pull': (by) => {
    const far = by.sign() * by.between(18, 40);
    return {
      events: [by.stroke({ from: by.inside(), way: flick(by, far, 0), ms: by.between(70, 200) })],
      expected: [],
    };
  },
  'long press': (by) => ({ events: [by.longPress(by.between(650, 1_400))], expected: ['menu'] }),
  'two fingers that part': (by) => {
    const from = by.between(60, 90);
    return { events: pinch(by, from, from * by.between(1.4, 2)), expected: ['expand'] };
  },
  'two fingers that come together': (by) => {
    const from = by.between(110, 150);
    return { events: pinch(by, from, from * by.between(0.35, 0.65)), expected: ['collapse'], isExpanded: true };
  },
  'tap of two fingers': (by) => ({ events: resting(by, 2, by.between(50, 130), 20), expected: [] }),
  'palm with fingers': (by) => ({
    events: resting(by, by.whole(3, 6), by.between(60, 1_400), 55),
    expected: [],
  }),
  'palm that the system takes away': (by) => {
    const roll = by.between(-9, 9);
    const way = (share: number): Point => [roll * share, roll * share];
    const ms = by.between(40, 320);
    return { events: [by.stroke({ from: by.inside(), way, ms, size: 80, end: 'pointercancel' })], expected: [] };
  },
  'swipe from a side of the window': (by) => {
    const isLeft = by.left === 0;
    const out = by.between(0, 23);
    const from: Point = [isLeft ? out : by.left + by.width - out, by.between(20, by.height - 20)];
    const way = flick(by, (isLeft ? 1 : -1) * by.between(60, 140), by.between(-15, 15));
    return { events: [by.stroke({ from, way, ms: by.between(70, 180) })], expected: [] };
  },
};
