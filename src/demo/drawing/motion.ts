const FULL_TURN = Math.PI * 2;

/** A sine that returns to its start after the loop, as long as `cycles` is a whole number. */
export function wave(t: number, cycles: number, phase = 0): number {
  return Math.sin(FULL_TURN * (t * cycles + phase));
}

/** The fractional part, also for negative numbers: 0 up to 1. */
export function wrap(value: number): number {
  return value - Math.floor(value);
}

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

export function clamp(value: number, low = 0, high = 1): number {
  return value < low ? low : value > high ? high : value;
}

/** 0 below `low`, 1 above `high`, and soft in between; `low` may be the greater one. */
export function smoothstep(low: number, high: number, value: number): number {
  const share = clamp((value - low) / (high - low));
  return share * share * (3 - 2 * share);
}

/** 0 → 1 → 0 over a life of 0..1, so that what wraps appears and goes unseen. */
export function fadeInOut(life: number, edge = 0.15): number {
  return smoothstep(0, edge, life) * smoothstep(1, 1 - edge, life);
}

export type Drift = { readonly offset: number; readonly weight: number };

/**
 * Endless drift for a picture that does not tile: two copies move from -0.5 to 0.5, half a cycle apart, each invisible
 * when it jumps back. The weights are those of a cross-fade that keeps contrast.
 */
export function driftTwice(t: number, cycles: number, phase = 0): readonly [Drift, Drift] {
  const first = wrap(t * cycles + phase);
  const second = wrap(first + 0.5);
  return [
    { offset: first - 0.5, weight: Math.sin(Math.PI * first) ** 2 },
    { offset: second - 0.5, weight: Math.sin(Math.PI * second) ** 2 },
  ];
}
