import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';

type Colour = readonly [number, number, number];

interface Picture {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels of a screen of 1080 lines: how far a ring may lie from the edge of its control, and how thin it may be. */
const [outside, inside, leastWidth] = [24, 20, 2];
const raysPerSide = 9;

/**
 * How well the ring of the focused control can be seen, by two screenshots: with the focus and without. At each of some
 * places of all four sides, a line across the edge of the control has to meet pixels of one colour that differ from
 * what was there without the focus, and from what lies beside them. What counts is the smaller of the two contrasts
 * (WCAG 2.2, relative luminance), at the worst place of a side. Afterwards nothing has the focus.
 * @returns 1 to 21 for each side that is on screen
 */
export async function measureRing(page: Page, control: Locator): Promise<Record<string, number>> {
  const box = await control.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  });
  const focused = await takePicture(page);
  await control.evaluate((element: HTMLElement) => element.blur());
  const bare = await takePicture(page);
  const worst: Record<string, number> = {};
  for (const [side, rays] of Object.entries(raysOf(box))) {
    const contrasts = rays.map((ray) => contrastAlong(ray, focused, bare));
    worst[side] = Math.min(...contrasts);
  }
  return worst;
}

async function takePicture(page: Page): Promise<Picture> {
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Lines of points from the outside to the inside, without the rounded corners. */
function raysOf({ x, y, width, height }: Box): Record<string, Point[][]> {
  const parts = Array.from({ length: raysPerSide }, (_, at) => 0.25 + (0.5 * at) / (raysPerSide - 1));
  const [deepX, deepY] = [Math.min(inside, width / 2), Math.min(inside, height / 2)];
  const steps = (deep: number) => Array.from({ length: Math.floor(outside + deep) }, (_, at) => at - outside);
  const at = (left: number, top: number): Point => ({ x: Math.round(left), y: Math.round(top) });
  return {
    left: parts.map((part) => steps(deepX).map((step) => at(x + step, y + part * height))),
    right: parts.map((part) => steps(deepX).map((step) => at(x + width - 1 - step, y + part * height))),
    top: parts.map((part) => steps(deepY).map((step) => at(x + part * width, y + step))),
    bottom: parts.map((part) => steps(deepY).map((step) => at(x + part * width, y + height - 1 - step))),
  };
}

function contrastAlong(ray: readonly Point[], focused: Picture, bare: Picture): number {
  const seen = ray.filter(({ x, y }) => x >= 0 && y >= 0 && x < focused.width && y < focused.height);
  const runs = runsOf(seen.map((point) => colourAt(focused, point)));
  const contrasts = runs.map(({ from, to, colour }, at) => {
    const beside = [runs[at - 1], runs[at + 1]].flatMap((run) => (run ? [contrastOf(colour, run.colour)] : []));
    const changes = seen.slice(from, to).map((point) => contrastOf(colour, colourAt(bare, point)));
    // A control that grows with the focus has changed at its edge alone.
    const changed = changes.sort((one, other) => one - other)[changes.length >> 1] ?? 1;
    return Math.min(changed, Math.max(1, ...beside));
  });
  return Math.max(1, ...contrasts);
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly colour: Colour;
}

/** Neighbours of one colour. A single pixel is where two of them blend. */
function runsOf(colours: readonly Colour[]): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let to = 1; to <= colours.length; to += 1) {
    const [first, next] = [colours[from], colours[to]];
    if (first === undefined || (next !== undefined && contrastOf(first, next) < 1.2)) continue;
    if (to - from >= leastWidth) runs.push({ from, to, colour: colours[(from + to) >> 1] ?? first });
    from = to;
  }
  return runs;
}

function colourAt({ pixels, width }: Picture, { x, y }: Point): Colour {
  const at = 3 * (y * width + x);
  return [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0];
}

function contrastOf(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** @returns 0 for black, 1 for white */
function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
