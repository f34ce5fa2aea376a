/** `bench --short` runs every step of a figure once, with little of everything: what it prints says nothing. */
export const isShort = process.env.BENCH_FORM === 'short';

/** How much of something a figure takes, and how much its short form does. */
export function amount(whole: number, short: number): number {
  return isShort ? short : whole;
}
