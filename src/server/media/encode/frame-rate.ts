/** Frames in so many seconds. */
export interface FrameRate {
  frames: number;
  seconds: number;
}

export interface RateLimit {
  /** Frames per second. */
  max: number;
  macroblocks: number;
  macroblocksPerSecond: number;
}

/**
 * What varies becomes as steady as screens are: a frame that is shown twice costs next to nothing. Above it, every other
 * one of a screen recording is left out.
 */
const steadyRate = 30;
const fastSteadyRate = 60;
/** With fewer, no frame would begin every two seconds. */
const minRate = 5;
/** Of a rate that is rounded to two places. */
const tolerance = 0.006;

/** The rate of the source, halved until it is within the limit. */
export function chooseRate(
  { framesPerSecond, hasVariableRate }: { framesPerSecond: number | null; hasVariableRate: boolean },
  limit: RateLimit,
): FrameRate {
  const rate = exact(steady(framesPerSecond, hasVariableRate));
  const max = Math.min(limit.max, limit.macroblocksPerSecond / limit.macroblocks) + tolerance;
  while (rate.frames / rate.seconds > max && rate.frames / rate.seconds > minRate) rate.seconds *= 2;
  return rate;
}

function steady(framesPerSecond: number | null, hasVariableRate: boolean): number {
  if (framesPerSecond === null) return steadyRate;
  if (hasVariableRate) return framesPerSecond > steadyRate + 1 ? fastSteadyRate : steadyRate;
  return Math.max(minRate, framesPerSecond);
}

/** ffmpeg says 29.97 and means 30000/1001. */
function exact(rate: number): FrameRate {
  const whole = Math.round(rate);
  if (Math.abs(rate - whole) < tolerance) return { frames: whole, seconds: 1 };
  if (Math.abs(rate - (whole * 1000) / 1001) < tolerance) return { frames: whole * 1000, seconds: 1001 };
  return { frames: Math.round(rate * 100), seconds: 100 };
}
