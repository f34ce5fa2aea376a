import uPlot from 'uplot';
import type { PlotModel } from './chart-model.ts';
import { findLonePoints, lastValue, timeTicks, traceMarker } from './chart-model.ts';
import { watchSize } from './watch-size.ts';

/**
 * Draws the line of a model on a canvas in `host`, and redraws it whenever size or colours change.
 */
export class Plot {
  private readonly host: HTMLElement;
  private readonly stopWatching: () => void;
  private model: PlotModel | null = null;
  private style: PlotStyle;
  private chart: uPlot | null = null;

  constructor(host: HTMLElement) {
    this.host = host;
    this.style = readPlotStyle(host);
    this.stopWatching = watchPlotStyle(host, () => this.redraw());
  }

  show(model: PlotModel): void {
    this.model = model;
    this.redraw();
  }

  close(): void {
    this.stopWatching();
    this.model = null;
    this.chart?.destroy();
    this.chart = null;
  }

  /**
   * Does nothing while the host has no size. Without a 2D context nothing is ever drawn, and the
   * table has all values.
   */
  private redraw(): void {
    const size = { width: this.host.clientWidth, height: this.host.clientHeight };
    if (!this.model || size.width === 0 || size.height === 0) return;
    this.style = readPlotStyle(this.host);
    const { chart, model } = this;
    if (!chart) this.chart = canDraw() ? new uPlot(this.optionsOf(size), dataOf(model), this.host) : null;
    else
      chart.batch(() => {
        chart.setSize(size);
        chart.setData(dataOf(model));
      });
  }

  /**
   * The library's own axes, legend and cursor are off: they add a canvas and boxes, and set their
   * sizes by CSSOM.
   */
  private optionsOf(size: { width: number; height: number }): uPlot.Options {
    const { hasScales } = this.model as PlotModel;
    return {
      ...size,
      ms: 1,
      legend: { show: false },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      axes: [{ show: false }, { show: false }],
      padding: [
        () => this.style.fontSize * 0.6,
        () => this.style.fontSize * 0.8,
        () => this.style.fontSize * (hasScales ? 2.2 : 0.6),
        (chart) => this.leftOf(chart),
      ],
      scales: {
        x: { time: false, range: () => [this.model?.from ?? 0, this.model?.to ?? 1] },
        y: { range: () => [0, this.model?.top ?? 1] },
      },
      series: [{}, this.seriesOptions(hasScales)],
      hooks: {
        drawClear: [(chart) => this.painterOf(chart)?.paintBelow()],
        draw: [(chart) => this.painterOf(chart)?.paintAbove()],
      },
    };
  }

  private seriesOptions(hasArea: boolean): uPlot.Series {
    const line = () => this.style.line;
    return {
      stroke: line,
      width: 2 * (this.style.fontSize / 13),
      ...(hasArea && { fill: () => this.style.area, fillTo: 0 }),
      points: {
        show: true,
        filter: (chart, index) => findLonePoints(Array.from(chart.data[index] ?? [])),
        size: this.style.fontSize * 0.4,
        stroke: line,
        fill: line,
      },
    };
  }

  private painterOf(chart: uPlot): PlotPainter | null {
    return this.model && new PlotPainter(chart, this.model, this.style);
  }

  /** Room for the labels of the value axis, in CSS pixels. */
  private leftOf({ ctx }: uPlot): number {
    const { fontSize, fontFamily } = this.style;
    ctx.save();
    ctx.font = `${fontSize}px ${fontFamily}`;
    const widths = this.model?.valueTicks.map(({ words }) => ctx.measureText(words).width) ?? [];
    ctx.restore();
    return widths.length === 0 ? fontSize * 0.2 : Math.ceil(Math.max(...widths) + fontSize * labelGapEm);
  }
}

/** Adds points without a value at the window's ends, so that the data is never empty. */
function dataOf({ points, from, to }: PlotModel): uPlot.AlignedData {
  return [
    [Math.min(from, points[0]?.at ?? from), ...points.map(({ at }) => at), to],
    [null, ...points.map(({ value }) => value), null],
  ];
}

function canDraw(): boolean {
  return document.createElement('canvas').getContext('2d') !== null;
}

/** Width in ems of the labels below which a chart has room for two time labels only. */
const narrowEm = 34;

/** Distance between an axis and its labels, in ems. */
const labelGapEm = 0.7;

/** Draws what is below and above the line. Lengths are canvas pixels. */
class PlotPainter {
  private readonly chart: uPlot;
  private readonly context: CanvasRenderingContext2D;
  private readonly model: PlotModel;
  private readonly style: PlotStyle;
  /** Canvas pixels per CSS pixel; the library observes changes itself. */
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

  /** Draws an outline around the words, because the line may pass behind them. */
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

/** Style values that a canvas does not inherit. */
interface PlotStyle {
  /** Font size in CSS pixels, without the unit. */
  fontSize: number;
  fontFamily: string;
  line: string;
  area: string;
  grid: string;
  words: string;
  threshold: string;
  surface: string;
}

/** Reads the custom properties of `chart.module.css`, as they currently apply to `host`. */
function readPlotStyle(host: HTMLElement): PlotStyle {
  const { fontSize, fontFamily } = getComputedStyle(host);
  const colour = (property: string) => resolveColour(host, property);
  return {
    fontSize: Number.parseFloat(fontSize) || 13,
    fontFamily,
    line: colour('--chart-line'),
    area: colour('--chart-area'),
    grid: colour('--chart-grid'),
    words: colour('--chart-words'),
    threshold: colour('--chart-threshold'),
    surface: colour('--chart-surface'),
  };
}

/** Resolves a colour to numbers: a canvas may not support the names of system colours. */
function resolveColour(host: HTMLElement, property: string): string {
  host.style.color = `var(${property})`;
  const { color } = getComputedStyle(host);
  host.style.color = '';
  return color;
}

/** Media queries that change colours but no sizes. */
const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'];

/**
 * Calls back when the size of `host` or its colours have changed, or its font has loaded. Returns a
 * function that stops it.
 */
function watchPlotStyle(host: HTMLElement, onChange: () => void): () => void {
  const lists = queries.map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener('change', onChange);
  document.fonts?.ready.then(onChange);
  const stopSize = watchSize(host, onChange);
  return () => {
    for (const list of lists) list.removeEventListener('change', onChange);
    stopSize();
  };
}
