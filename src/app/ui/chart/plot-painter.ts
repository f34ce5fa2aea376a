import uPlot from 'uplot';
import { lastValue } from './chart-points.ts';
import { timeTicks } from './chart-ticks.ts';
import { traceMarker } from './marker.ts';
import type { PlotModel } from './plot-model.ts';
import type { PlotStyle } from './plot-style.ts';

/** In ems of the labels: below that there is room for two labels of time. */
const narrowEm = 34;

/** Between an axis and its labels. */
export const labelGapEm = 0.7;

/** Draws what is below the line and above it. Lengths are pixels of the canvas. */
export class PlotPainter {
  private readonly chart: uPlot;
  private readonly context: CanvasRenderingContext2D;
  private readonly model: PlotModel;
  private readonly style: PlotStyle;
  /** Of the canvas, for one CSS pixel; the library hears of a change itself. */
  private readonly pixels: number;
  private readonly em: number;

  constructor(chart: uPlot, model: PlotModel, style: PlotStyle) {
    this.chart = chart;
    this.context = chart.ctx;
    this.model = model;
    this.style = style;
    this.pixels = uPlot.pxRatio;
    this.em = style.fontSize * this.pixels;
  }

  paintBelow(): void {
    this.context.save();
    this.context.strokeStyle = this.style.grid;
    this.context.lineWidth = Math.max(1, Math.round(this.pixels));
    for (const { at } of this.model.valueTicks) this.strokeLevel(at);
    this.context.restore();
  }

  paintAbove(): void {
    this.context.save();
    this.context.font = `${this.em}px ${this.style.fontFamily}`;
    this.paintValueLabels();
    this.paintTimeLabels();
    this.paintThreshold();
    this.paintMarker();
    this.context.restore();
  }

  private paintValueLabels(): void {
    const { left } = this.chart.bbox;
    for (const { at, words } of this.model.valueTicks)
      this.write(words, left - this.em * labelGapEm, this.yOf(at), 'right', 'middle');
  }

  private paintTimeLabels(): void {
    if (!this.model.hasScales) return;
    const { left, top, width, height } = this.chart.bbox;
    const ticks = timeTicks(this.model.from, this.model.to, width < narrowEm * this.em);
    const y = top + height + this.em * labelGapEm;
    ticks.forEach(({ at, words }, index) => {
      if (index === 0) this.write(words, left, y, 'left', 'top');
      else if (index === ticks.length - 1) this.write(words, left + width, y, 'right', 'top');
      else this.write(words, this.xOf(at), y, 'center', 'top');
    });
  }

  private paintThreshold(): void {
    const { threshold } = this.model;
    if (!threshold) return;
    this.context.strokeStyle = this.style.threshold;
    this.context.lineWidth = Math.max(1, Math.round(this.pixels));
    this.context.setLineDash([this.em * 0.25, this.em * 0.3]);
    this.strokeLevel(threshold.value);
    this.context.setLineDash([]);
    if (threshold.words !== undefined) this.paintThresholdWords(threshold.words, this.yOf(threshold.value));
  }

  /** With a rim, because the line may pass behind them. */
  private paintThresholdWords(words: string, y: number): void {
    const { left, width } = this.chart.bbox;
    const place = [words, left + width, y - this.em * 0.4] as const;
    this.context.textAlign = 'right';
    this.context.textBaseline = 'bottom';
    this.context.strokeStyle = this.style.surface;
    this.context.lineWidth = this.em * 0.3;
    this.context.lineJoin = 'round';
    this.context.strokeText(...place);
    this.context.fillStyle = this.style.threshold;
    this.context.fillText(...place);
  }

  private paintMarker(): void {
    const last = lastValue(this.model.points);
    if (!last) return;
    traceMarker(this.context, this.model.marker, this.xOf(last.at), this.yOf(last.value), this.em * 0.35);
    this.context.strokeStyle = this.style.surface;
    this.context.lineWidth = this.em * 0.3;
    this.context.stroke();
    this.context.fillStyle = this.style.line;
    this.context.fill();
  }

  private strokeLevel(value: number): void {
    const { left, width } = this.chart.bbox;
    const y = Math.round(this.yOf(value)) - 0.5;
    this.context.beginPath();
    this.context.moveTo(left, y);
    this.context.lineTo(left + width, y);
    this.context.stroke();
  }

  private write(words: string, x: number, y: number, align: CanvasTextAlign, baseline: CanvasTextBaseline): void {
    this.context.fillStyle = this.style.words;
    this.context.textAlign = align;
    this.context.textBaseline = baseline;
    this.context.fillText(words, x, y);
  }

  private xOf(at: number): number {
    return this.chart.valToPos(at, 'x', true);
  }

  private yOf(value: number): number {
    return this.chart.valToPos(value, 'y', true);
  }
}
