/** A square of complex numbers, `size` a power of two. */
export type ComplexSquare = { readonly size: number; readonly real: Float64Array; readonly imaginary: Float64Array };

export function createComplexSquare(size: number): ComplexSquare {
  return { size, real: new Float64Array(size * size), imaginary: new Float64Array(size * size) };
}

/** Inverse Fourier transform in place, without the division: rows first, then columns. */
export function transformSquare(square: ComplexSquare): void {
  for (let line = 0; line < square.size; line++) transformLine(square, line * square.size, 1);
  for (let line = 0; line < square.size; line++) transformLine(square, line, square.size);
}

function transformLine(square: ComplexSquare, start: number, step: number): void {
  reorderLine(square, start, step);
  for (let half = 1; half < square.size; half *= 2) combineHalves(square, start, step, half);
}

function reorderLine({ size, real, imaginary }: ComplexSquare, start: number, step: number): void {
  for (let index = 1, mirror = 0; index < size; index++) {
    let bit = size >> 1;
    for (; mirror & bit; bit >>= 1) mirror ^= bit;
    mirror |= bit;
    if (index < mirror) {
      swap(real, start + index * step, start + mirror * step);
      swap(imaginary, start + index * step, start + mirror * step);
    }
  }
}

function swap(values: Float64Array, first: number, second: number): void {
  const kept = values[first] ?? 0;
  values[first] = values[second] ?? 0;
  values[second] = kept;
}

function combineHalves({ size, real, imaginary }: ComplexSquare, start: number, step: number, half: number): void {
  for (let offset = 0; offset < half; offset++) {
    const angle = (Math.PI * offset) / half;
    const turnReal = Math.cos(angle);
    const turnImaginary = Math.sin(angle);
    for (let index = offset; index < size; index += half * 2) {
      const low = start + index * step;
      const high = low + half * step;
      const highReal = (real[high] ?? 0) * turnReal - (imaginary[high] ?? 0) * turnImaginary;
      const highImaginary = (real[high] ?? 0) * turnImaginary + (imaginary[high] ?? 0) * turnReal;
      real[high] = (real[low] ?? 0) - highReal;
      imaginary[high] = (imaginary[low] ?? 0) - highImaginary;
      real[low] = (real[low] ?? 0) + highReal;
      imaginary[low] = (imaginary[low] ?? 0) + highImaginary;
    }
  }
}
