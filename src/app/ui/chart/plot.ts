import uPlot from 'uplot';
import { findLonePoints } from './chart-points.ts';
import type { PlotModel } from './plot-model.ts';
import { labelGapEm, PlotPainter } from './plot-painter.ts';
import type { PlotStyle } from './plot-style.ts';
import { readPlotStyle, watchPlotStyle } from './plot-style.ts';

/** The line of a model on a canvas in `host`, drawn again whenever its size or its colours change. */
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

  /** Without room there is nothing to draw yet; without a 2D context there never is, and the table says it all. */
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

  /** The library's own axes, legend and cursor are off: it adds a canvas and boxes, and sets their sizes by CSSOM. */
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

/** The window's ends are points without a value, so that there is something even where nothing was measured. */
function dataOf({ points, from, to }: PlotModel): uPlot.AlignedData {
  return [
    [Math.min(from, points[0]?.at ?? from), ...points.map(({ at }) => at), to],
    [null, ...points.map(({ value }) => value), null],
  ];
}

function canDraw(): boolean {
  return document.createElement('canvas').getContext('2d') !== null;
}
