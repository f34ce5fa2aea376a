import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { EnginePage, MouseButton } from '#tests/support/engine-page.ts';
import type { Box, Moment } from './in-page.ts';
import { boxOf, findControl, hasHeading, lookAtFronts } from './in-page.ts';

const patienceMs = 120_000;
/** Where a quadrant has neither controls nor words. */
const clear = { x: 0.3, y: 0.25 };

type Colour = readonly [number, number, number];

/** What somebody with a mouse sees of the app and does with it, in whichever engine. */
export class Screen {
  readonly page: EnginePage;
  readonly #address: string;

  constructor(page: EnginePage, address: string) {
    this.page = page;
    this.#address = address;
  }

  /** Loads the app anew. Without a pointing device, as an engine without a screen is, it would take itself for a TV. */
  open(query = 'form=desktop'): Promise<void> {
    return this.page.open(`${this.#address}/?${query}`);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + patienceMs;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`waited ${patienceMs} ms for: ${what}`);
      await delay(50);
    }
  }

  look(): Promise<Record<Quadrant, Moment>> {
    return this.page.evaluate(lookAtFronts, null);
  }

  /** All four move on by half a second and show at least five more frames. */
  async untilAllAdvance(): Promise<void> {
    const before = await this.look();
    let now = before;
    const late = () => quadrants.filter((quadrant) => !hasAdvanced(before[quadrant], now[quadrant]));
    try {
      await this.until('four videos that advance', async () => {
        now = await this.look();
        return late().length === 0;
      });
    } catch (error) {
      const facts = late().map(
        (quadrant) => `${quadrant} ${JSON.stringify({ from: before[quadrant].time, ...now[quadrant] })}`,
      );
      throw new Error(`${error instanceof Error ? error.message : error}; ${facts.join('; ')}`);
    }
  }

  /** Brings up the controls of a quadrant. */
  async hover(quadrant: Quadrant): Promise<void> {
    const { x, y } = await this.pointIn(quadrant);
    await this.page.moveMouse(x - 20, y);
    await this.page.moveMouse(x, y);
  }

  async clickPicture(quadrant: Quadrant, button: MouseButton): Promise<void> {
    const { x, y } = await this.pointIn(quadrant);
    await this.page.click(x, y, button);
  }

  async pointIn(quadrant: Quadrant): Promise<{ x: number; y: number }> {
    const { left, top, width, height } = await this.boxOf(quadrant);
    return { x: left + clear.x * width, y: top + clear.y * height };
  }

  boxOf(quadrant: Quadrant): Promise<Box> {
    return this.page.evaluate(boxOf, `section[data-quadrant="${quadrant}"]`);
  }

  /** Clicks what has this name as soon as nothing lies over it; `at` is the part of its width. */
  async click(name: string, { within = 'body', at = 0.5 } = {}): Promise<void> {
    let box: Box | null = null;
    await this.until(`'${name}' in ${within}`, async () => {
      box = await this.page.evaluate(findControl, { name, within });
      return box !== null;
    });
    const { left, top, width, height } = box as unknown as Box;
    await this.page.click(left + at * width, top + height / 2);
  }

  /** Clicks a control of one quadrant. */
  async control(quadrant: Quadrant, name: string, at = 0.5): Promise<void> {
    await this.hover(quadrant);
    await this.click(name, { within: `section[data-quadrant="${quadrant}"]`, at });
  }

  has(name: string, within = 'body'): Promise<boolean> {
    return this.page.evaluate(findControl, { name, within }).then((box) => box !== null);
  }

  untilHas(name: string, within = 'body'): Promise<void> {
    return this.until(`'${name}' in ${within}`, () => this.has(name, within));
  }

  untilGone(name: string, within = 'body'): Promise<void> {
    return this.until(`no '${name}' in ${within}`, async () => !(await this.has(name, within)));
  }

  untilView(title: string): Promise<void> {
    return this.until(`the view '${title}'`, () => this.page.evaluate(hasHeading, title));
  }

  async type(field: string, text: string): Promise<void> {
    await this.click(field);
    await this.page.type(text);
  }

  /** The mouse goes to the left edge, and the menu comes. */
  async openMenu(): Promise<void> {
    await this.page.moveMouse(300, 400);
    await this.page.moveMouse(5, 400);
    await this.untilHas('Videos', menu);
  }

  /** The colour that is seen in each quadrant, from a picture of the whole screen. */
  async colours(): Promise<Record<Quadrant, Colour>> {
    const { data, info } = await sharp(await this.page.takePicture())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const colours: Partial<Record<Quadrant, Colour>> = {};
    for (const quadrant of quadrants) {
      const { x, y } = await this.pointIn(quadrant);
      const at = (Math.round(y) * info.width + Math.round(x)) * info.channels;
      colours[quadrant] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    }
    return colours as Record<Quadrant, Colour>;
  }
}

/** The menu at the side, open. */
export const menu = 'nav[aria-label="Menu"]';

/** Another video, and one that was decoded anew, count their frames from the start. */
function hasAdvanced(before: Moment, now: Moment): boolean {
  const isSame = now.videoId === before.videoId;
  const frames = now.frames - (isSame && now.frames >= before.frames ? before.frames : 0);
  return !now.isPaused && frames > 5 && now.time > (isSame ? before.time : 0) + 0.5;
}
