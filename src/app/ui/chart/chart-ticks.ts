export interface Tick {
  /** On its axis: a value, or epoch milliseconds. */
  at: number;
  words: string;
}

const maxValueSteps = 4;
const maxTimeSteps = 6;

/** Steps of the value axis, for each power of ten. */
const niceSteps = [1, 2, 5, 10];

/** From 0 to the first round step at or above `highest`; the last one is the top of the axis. */
export function valueTicks(highest: number): Tick[] {
  const atLeast = (highest > 0 ? highest : 1) / maxValueSteps;
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const step = power * (niceSteps.find((nice) => nice * power >= atLeast) ?? 10);
  const count = Math.max(1, Math.ceil(roundOff((highest > 0 ? highest : 1) / step)));
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = roundOff(index * step);
    return { at, words: at.toLocaleString() };
  });
}

/** Without what binary fractions add: 0.30000000000000004. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

/** Units of the time axis, each with the span up to which it is used, in milliseconds. */
const timeUnits = [
  { words: 's', ms: 1_000, upToMs: 120_000 },
  { words: 'min', ms: 60_000, upToMs: 7_200_000 },
  { words: 'h', ms: 3_600_000, upToMs: Number.POSITIVE_INFINITY },
];

/** Steps of the time axis, in its unit. */
const timeSteps = [1, 2, 3, 4, 5, 10, 15, 20, 30, 60];

/**
 * From the beginning of the window to now: '5 min ago', '4', '3', '2', '1', 'now'.
 * @param from epoch milliseconds
 * @param isNarrow whether there is room for the first and the last alone
 */
export function timeTicks(from: number, to: number, isNarrow: boolean): Tick[] {
  const span = to - from;
  const unit = timeUnits.find(({ upToMs }) => span <= upToMs) ?? { words: 's', ms: 1_000 };
  const units = Math.round(span / unit.ms);
  const step = timeSteps.find((one) => units / one <= maxTimeSteps) ?? units;
  const first = { at: from, words: `${units} ${unit.words} ago` };
  const between: Tick[] = [];
  for (let ago = units - step; ago > 0 && !isNarrow; ago -= step)
    between.push({ at: to - ago * unit.ms, words: String(ago) });
  return [first, ...between, { at: to, words: 'now' }];
}
