import { clamp, mix } from './motion.ts';

/** Red, green, blue, each 0..255 (above 255 where light adds up). */
export type Color = readonly [number, number, number];

export function parseColor(hex: string): Color {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function mixColor(from: Color, to: Color, share: number): Color {
  return [mix(from[0], to[0], share), mix(from[1], to[1], share), mix(from[2], to[2], share)];
}

export function writeColor([red, green, blue]: Color, alpha = 1): string {
  return `rgba(${Math.round(red)},${Math.round(green)},${Math.round(blue)},${alpha.toFixed(4)})`;
}

export type Stop = readonly [position: number, color: string];

/** Colours along 0..1, worked out once at 1024 places because pixel loops read it. */
export type Ramp = { readonly red: Float32Array; readonly green: Float32Array; readonly blue: Float32Array };

const RAMP_STEPS = 1024;

export function createRamp(stops: readonly Stop[]): Ramp {
  const colors = Array.from({ length: RAMP_STEPS }, (_, step) => findColor(stops, step / (RAMP_STEPS - 1)));
  return {
    red: Float32Array.from(colors, (color) => color[0]),
    green: Float32Array.from(colors, (color) => color[1]),
    blue: Float32Array.from(colors, (color) => color[2]),
  };
}

export function findColor(stops: readonly Stop[], position: number): Color {
  const next = stops.findIndex(([place]) => place >= position);
  const after = stops[next === -1 ? stops.length - 1 : next];
  const before = stops[next === -1 ? stops.length - 1 : Math.max(0, next - 1)];
  if (!after || !before) return [0, 0, 0];
  if (after === before) return parseColor(after[1]);
  return mixColor(parseColor(before[1]), parseColor(after[1]), (position - before[0]) / (after[0] - before[0]));
}

export function findStep(position: number): number {
  return Math.round(clamp(position) * (RAMP_STEPS - 1));
}

export function fillGradient(gradient: CanvasGradient, stops: readonly Stop[], alpha = 1): CanvasGradient {
  for (const [position, color] of stops) gradient.addColorStop(position, writeColor(parseColor(color), alpha));
  return gradient;
}
