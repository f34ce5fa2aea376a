/** Hue of a colour in degrees; null for black, grey and white. */
export function hueOf([red, green, blue]: readonly [number, number, number]): number | null {
  const high = Math.max(red, green, blue);
  const range = high - Math.min(red, green, blue);
  if (range < 60) return null;
  const sixth =
    high === red ? (green - blue) / range : high === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  return (sixth * 60 + 360) % 360;
}

/** The fixture (`hue-030`) that a colour comes from; null when it comes from none. */
export function fixtureOf(colour: readonly [number, number, number]): string | null {
  const hue = hueOf(colour);
  if (hue === null) return null;
  return `hue-${String((Math.round(hue / 30) * 30) % 360).padStart(3, '0')}`;
}

/** Without repetitions in a row. */
export function withoutRepeats<Value>(values: readonly Value[]): Value[] {
  return values.filter((value, at) => at === 0 || value !== values[at - 1]);
}
