import { watchSize } from '../watch-size.ts';

/** What a canvas does not get from the style sheet by itself. */
export interface PlotStyle {
  /** The font's size in CSS pixels, without the unit. */
  fontSize: number;
  fontFamily: string;
  line: string;
  area: string;
  grid: string;
  words: string;
  threshold: string;
  surface: string;
}

/** Reads the custom properties of `chart.module.css`, as they apply to `host` now. */
export function readPlotStyle(host: HTMLElement): PlotStyle {
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

/** As numbers: a canvas may not know the names of system colours. */
function resolveColour(host: HTMLElement, property: string): string {
  host.style.color = `var(${property})`;
  const { color } = getComputedStyle(host);
  host.style.color = '';
  return color;
}

/** What changes the colours without changing a size. */
const queries = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'];

/** Calls back when the size of `host` or its colours have changed, or the font is there. Returns what ends that. */
export function watchPlotStyle(host: HTMLElement, onChange: () => void): () => void {
  const lists = queries.map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener('change', onChange);
  document.fonts?.ready.then(onChange);
  const stopSize = watchSize(host, onChange);
  return () => {
    for (const list of lists) list.removeEventListener('change', onChange);
    stopSize();
  };
}
