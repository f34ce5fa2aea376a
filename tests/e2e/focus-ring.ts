import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
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

/** Of WCAG 2.2, for what tells where the focus is. */
export const leastContrast = 3;

/** Pixels of a screen of 1080 lines: how far a ring may lie from the edge of its control, and how thin it may be. */
const [outside, inside, leastWidth] = [24, 20, 2];
const raysPerSide = 9;

/** The ring of a control that has the focus can be seen on every side. */
export async function expectRing(page: Page, what: string, control: Locator): Promise<void> {
  await expect(control).toBeFocused();
  const contrasts = await measureRing(page, control);
  expect(Math.min(...Object.values(contrasts)), `${what}: ${JSON.stringify(contrasts)}`).toBeGreaterThanOrEqual(
    leastContrast,
  );
}

/** Controls that are drawn alike have one ring, which is looked at once in each process. */
const seenKinds = new Set<string>();

/** The ring of each control within, but for those of which one like them was looked at before. The focus stays. */
export async function expectNewRings(page: Page, within: Locator): Promise<void> {
  const before = await page.evaluateHandle(() => document.activeElement as HTMLElement | null);
  const controls = within
    .locator('button, a[href], input, select, textarea, [tabindex="0"]')
    .and(page.locator(':enabled, a, [tabindex]'))
    .filter({ visible: true });
  const kinds = await controls.evaluateAll((all) =>
    (all as HTMLElement[]).map((one) => {
      const states = ['type', 'aria-pressed', 'aria-checked', 'aria-current'].map((name) => one.getAttribute(name));
      return one.tabIndex < 0 ? null : [one.tagName, one.className, ...states].join(' ');
    }),
  );
  for (const [at, kind] of kinds.entries()) {
    if (kind === null || seenKinds.has(kind)) continue;
    seenKinds.add(kind);
    const control = controls.nth(at);
    await control.focus();
    await expectRing(page, (await control.ariaSnapshot()) || kind, control);
  }
  await before.evaluate((element) => element?.focus());
}

/**
 * How well the ring of the focused control can be seen, by two screenshots: with the focus and without. At each of some
 * places of all four sides, a line across the edge of the control has to meet pixels of one colour that differ from
 * what was there without the focus, and from what lies beside them. What counts is the smaller of the two contrasts
 * (WCAG 2.2, relative luminance), at the worst place of a side. Afterwards nothing has the focus.
 * @returns 1 to 21 for each side that is on screen
 */
export async function measureRing(page: Page, control: Locator, tries = 5): Promise<Record<string, number>> {
  // Its own box may grow with the focus.
  const place = control.locator('..');
  const before = JSON.stringify(await boxOf(place));
  const box = await boxOf(control);
  const focused = await takePicture(page);
  await control.evaluate((element: HTMLElement) => element.blur());
  const bare = await takePicture(page);
  // What arrives meanwhile may have moved it.
  if (JSON.stringify(await boxOf(place)) !== before && tries > 1) {
    await control.focus();
    return measureRing(page, control, tries - 1);
  }
  const worst: Record<string, number> = {};
  for (const [side, rays] of Object.entries(raysOf(box))) {
    const contrasts = rays.map((ray) => contrastAlong(ray, focused, bare));
    worst[side] = Math.min(...contrasts);
  }
  return worst;
}

function boxOf(control: Locator): Promise<Box> {
  return control.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  });
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
  const runs = runsOf(seen.map((point) => ({ colour: colourAt(focused, point), bare: colourAt(bare, point) })));
  const contrasts = runs.map(({ from, to, colour }, at) => {
    // Beyond what has its colour already.
    const others = [runs.slice(0, at).reverse(), runs.slice(at + 1)].map((side) =>
      side.find((run) => !isSame(run.colour, colour)),
    );
    const beside = others.flatMap((run) => (run ? [contrastOf(colour, run.colour)] : []));
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

interface Pixel {
  readonly colour: Colour;
  /** Without the focus. */
  readonly bare: Colour;
}

const isSame = (one: Colour, other: Colour) => contrastOf(one, other) < 1.2;

/**
 * Neighbours of one colour. A single pixel is where two of them blend. What the focus has changed is a run of its own,
 * also where it touches something of its colour.
 */
function runsOf(pixels: readonly Pixel[]): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let to = 1; to <= pixels.length; to += 1) {
    const [first, next] = [pixels[from], pixels[to]];
    if (first === undefined || (next !== undefined && isAlike(first, next))) continue;
    if (to - from >= leastWidth) runs.push({ from, to, colour: pixels[(from + to) >> 1]?.colour ?? first.colour });
    from = to;
  }
  return runs;
}

function isAlike(one: Pixel, other: Pixel): boolean {
  return isSame(one.colour, other.colour) && isSame(one.colour, one.bare) === isSame(other.colour, other.bare);
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
