import type { ChartPoint } from './chart-points.ts';
import type { Tick } from './chart-ticks.ts';
import type { MarkerShape } from './marker.ts';

/** One series over a window of time. */
export interface PlotModel {
  /** In the order of time; the first may lie before the window. */
  points: readonly ChartPoint[];
  /** Epoch milliseconds. */
  from: number;
  to: number;
  /** The top of the value axis, which begins at 0. */
  top: number;
  /** Those of the value axis; without them it has none. */
  valueTicks: readonly Tick[];
  /** Whether time has labels, and the line an area below. */
  hasScales: boolean;
  marker: MarkerShape;
  /** A dashed line, with its words where there are any. */
  threshold?: { value: number; words?: string } | undefined;
}

/** The value axis reaches that many times the threshold at least: there its words and the line have room. */
export const headroom = 2;
