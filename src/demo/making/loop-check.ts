/** A step over the seam may be this much greater than the average step between two frames. */
export const SEAM_TOLERANCE = 1.5;

const PIXEL_STRIDE = 4 * 3;

export type LoopCheck = { readonly addFrame: (frame: Buffer) => void; readonly measure: () => LoopMeasure };

export type LoopMeasure = { readonly averageStep: number; readonly seamStep: number; readonly isSmooth: boolean };

/**
 * Compares each frame with the one before, and the first with the last: a clip that jumps when it starts again is seen
 * here.
 */
export function createLoopCheck(): LoopCheck {
  const steps: number[] = [];
  let first: Buffer | undefined;
  let last: Buffer | undefined;
  return {
    addFrame(frame) {
      if (last) steps.push(measureDifference(last, frame));
      first ??= frame;
      last = frame;
    },
    measure() {
      const averageStep = steps.reduce((sum, step) => sum + step, 0) / Math.max(1, steps.length);
      const seamStep = first && last ? measureDifference(last, first) : Infinity;
      return { averageStep, seamStep, isSmooth: averageStep > 0 && seamStep <= averageStep * SEAM_TOLERANCE };
    },
  };
}

/** Mean difference of red, green and blue over every third pixel, in steps of 0..255. */
function measureDifference(before: Buffer, after: Buffer): number {
  let sum = 0;
  let count = 0;
  for (let index = 0; index + 2 < before.length; index += PIXEL_STRIDE) {
    for (let channel = index; channel < index + 3; channel++)
      sum += Math.abs((before[channel] ?? 0) - (after[channel] ?? 0));
    count += 3;
  }
  return sum / count;
}
