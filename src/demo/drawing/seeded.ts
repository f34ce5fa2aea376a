/** Numbers 0 up to 1 in a fixed order for a seed (mulberry32): scenes look the same whenever they are remade. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function drawBetween(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** A bell-shaped number around 0 with a deviation of about 1. */
export function drawBell(random: Random): number {
  return (random() + random() + random() + random() - 2) * 1.73;
}

export function pickOne<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}

export function makeMany<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
