import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { listMarks } from './marks.ts';
import { poll } from './poll.ts';

const tabsAtMost = 30;
/** A press that takes longer, because the controls have faded meanwhile, fails and is tried again. */
const pressMs = 30_000;
const arrowsAtMost = 20;
/** Beyond the longest pause between two tries, with its random half. */
const networkPauseMs = 23_000;

/** What a quadrant's front layer shows at one moment. */
export interface Picture {
  readonly videoId: string;
  readonly phase: string;
  /** Seconds into the video. */
  readonly time: number;
  /** Frames that were decoded for it so far. */
  readonly frames: number;
  /** Red, green, blue of its middle, 0 to 255; null while there is no picture. */
  readonly colour: readonly [number, number, number] | null;
}

/**
 * The feed's address as somebody asks for it who has every quadrant ask for its first video: otherwise the page brings
 * all four.
 */
export function asking(address = ''): string {
  return `${address}/?view=feed`;
}

/** A point of the window, in CSS pixels. */
type Spot = [x: number, y: number];

/** The feed as someone who uses it sees it. */
export class Feed {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get start(): Locator {
    return this.page.getByRole('button', { name: 'Tap anywhere to play all videos' });
  }

  /** The sentence that saved videos play: those that were chosen, and those that were watched long enough. */
  get savedPill(): Locator {
    return this.page.getByText(/^You are offline\. Playing \d+ saved videos?$/);
  }

  quadrant(quadrant: Quadrant): Locator {
    return this.page.locator(`section[data-quadrant="${quadrant}"]`);
  }

  /** A button or slider of one quadrant, by its whole name. */
  control(quadrant: Quadrant, name: string): Locator {
    return this.quadrant(quadrant).locator(`[aria-label="${name}"]`);
  }

  /** Presses a control with the mouse, which moves again where the controls have faded before the press. */
  async clickControl(quadrant: Quadrant, name: string): Promise<void> {
    await this.#pressControl(quadrant, name, this.#wakeByMouse(), (control) => control.click({ timeout: pressMs }));
  }

  async hoverControl(quadrant: Quadrant, name: string): Promise<void> {
    await this.#pressControl(quadrant, name, this.#wakeByMouse(), (control) => control.hover({ timeout: pressMs }));
  }

  /** Presses a control with a finger, which touches the quadrant again where the controls have faded. */
  async tapControl(quadrant: Quadrant, name: string): Promise<void> {
    const wake = (spot: Spot) => this.page.touchscreen.tap(...spot);
    await this.#pressControl(quadrant, name, wake, (control) => control.tap({ timeout: pressMs }));
  }

  #wakeByMouse(): (middle: Spot) => Promise<void> {
    let step = 0;
    return ([x, y]) => {
      step = 10 - step;
      return this.page.mouse.move(x + step, y);
    };
  }

  /** @param wake shows the controls; it gets the middle of the quadrant */
  async #pressControl(
    quadrant: Quadrant,
    name: string,
    wake: (middle: Spot) => Promise<void>,
    press: (control: Locator) => Promise<void>,
  ): Promise<void> {
    const control = this.control(quadrant, name);
    await expect(async () => {
      const box = await this.quadrant(quadrant).boundingBox();
      if (box && !(await control.isVisible())) await wake([box.x + box.width / 2, box.y + box.height / 2]);
      await press(control);
    }).toPass();
  }

  /** Leads the focus among the controls of a quadrant by OK, which only shows them where they have faded. */
  async enterControls(quadrant: Quadrant): Promise<void> {
    const section = this.quadrant(quadrant);
    await section.focus();
    await poll(async () => {
      const isEntered = (await section.getAttribute('data-entered')) === 'true';
      if (!isEntered) await this.page.keyboard.press('Enter');
      return isEntered;
    }).toBe(true);
    await expect(section.locator(':focus')).toHaveCount(1);
  }

  async open(address = '/'): Promise<void> {
    await this.page.goto(address);
    await expect(this.page.locator('section[data-quadrant]')).toHaveCount(quadrants.length);
  }

  /** Opens the feed and plays it as soon as four stills stand. */
  async play(address = '/'): Promise<void> {
    await this.open(address);
    await this.waitForStills();
    await this.start.click();
    await this.waitUntilAllAdvance();
  }

  /** @param timeout milliseconds; absent: as long as everything else may take */
  async waitForStills(timeout?: number): Promise<Record<Quadrant, Picture>> {
    await poll(async () => Object.values(await this.look()).filter(({ colour }) => colour !== null).length, {
      message: 'four stills',
      ...(timeout === undefined ? {} : { timeout }),
    }).toBe(quadrants.length);
    return this.look();
  }

  /** Every quadrant's video moves on by half a second and shows at least five more frames. */
  async waitUntilAllAdvance(): Promise<void> {
    const before = await this.look();
    await poll(async () => advanced(before, await this.look()), { message: 'all four videos advance' }).toEqual(
      quadrants,
    );
  }

  /** From now on no video comes to its end and makes room for another one, however long the journey takes. */
  async loopVideos(): Promise<void> {
    await this.page.locator('section[data-quadrant] video').evaluateAll((videos) => {
      for (const video of videos as HTMLVideoElement[]) {
        video.loop = true;
        // What the app sets has no effect.
        Object.defineProperty(video, 'loop', { value: true, writable: true });
      }
    });
  }

  async waitForOtherVideo(quadrant: Quadrant, videoId: string): Promise<void> {
    await expect(this.quadrant(quadrant)).not.toHaveAttribute('data-video-id', videoId);
    await expect(this.quadrant(quadrant)).toHaveAttribute('data-phase', 'playing');
  }

  /** The page's clock, which the journey has installed, goes on until a try has found the network again. */
  async passNetworkPause(): Promise<void> {
    await expect(async () => {
      await this.page.clock.fastForward(networkPauseMs);
      await expect(this.quadrant('top-left')).not.toContainText('Waiting for network', { timeout: 1_000 });
    }).toPass();
  }

  /** By the mouse's other button. */
  async openMenu(quadrant: Quadrant): Promise<void> {
    await this.quadrant(quadrant).click({ button: 'right', position: { x: 90, y: 120 } });
  }

  /** Keeps the video of a quadrant offline, as somebody with a mouse does; its bytes come afterwards. */
  async keepOffline(quadrant: Quadrant): Promise<void> {
    await this.openMenu(quadrant);
    await this.page.getByRole('button', { name: 'Keep offline' }).click();
    const dialog = this.page.getByRole('dialog', { name: 'Keep offline' });
    await expect(dialog.getByRole('status')).toContainText(/^1 video, .* left$/);
    await dialog.getByRole('button', { name: 'Keep offline' }).click();
    await expect(dialog).toHaveCount(0);
  }

  /** The service worker keeps the app from now on. */
  async waitForWorker(): Promise<void> {
    await this.page.evaluate(async () => void (await navigator.serviceWorker.ready));
  }

  /** Nothing stands on the pictures any more: no control, no filename. */
  async waitForRest(): Promise<void> {
    await poll(() => this.page.evaluate(listMarks), { message: 'nothing but pictures' }).toEqual([]);
  }

  async marksOutsideSafeArea(): Promise<string[]> {
    const marks = await this.page.evaluate(listMarks);
    return marks.filter(({ isSafe }) => !isSafe).map(({ text }) => text);
  }

  /** Goes on by the Tab key until the control of this name has the focus. */
  async focusByTab(name: RegExp): Promise<void> {
    const wanted = this.page.getByRole('button', { name }).filter({ visible: true });
    for (let presses = 0; presses < tabsAtMost; presses += 1) {
      await this.page.keyboard.press('Tab');
      if ((await wanted.and(this.page.locator(':focus')).count()) > 0) return;
    }
    throw new Error(`no ${name} within ${tabsAtMost} presses of Tab`);
  }

  /** Goes on by one arrow until this has the focus; first it must have come. */
  async walkTo(wanted: Locator, arrow: string): Promise<void> {
    await wanted.first().waitFor();
    const reached = wanted.and(this.page.locator(':focus'));
    for (let steps = 0; (await reached.count()) === 0; steps += 1) {
      if (steps === arrowsAtMost) throw new Error(`no ${wanted} within ${arrowsAtMost} presses of ${arrow}`);
      await this.page.keyboard.press(arrow);
    }
  }

  /** Goes to a control of a quadrant by one arrow; those that have faded between two keys are entered again. */
  async walkToControl(quadrant: Quadrant, name: string, arrow = 'ArrowRight'): Promise<void> {
    const isEntered = this.quadrant(quadrant).and(this.page.locator('[data-entered="true"]'));
    const reached = this.control(quadrant, name).and(this.page.locator(':focus'));
    for (let steps = 0; (await reached.count()) === 0; steps += 1) {
      if (steps === arrowsAtMost) throw new Error(`no ${name} within ${arrowsAtMost} presses of ${arrow}`);
      if ((await isEntered.count()) === 0) await this.enterControls(quadrant);
      else await this.page.keyboard.press(arrow);
    }
  }

  async focusedQuadrant(): Promise<Quadrant> {
    const name = await this.page
      .locator('section[data-quadrant]:focus-within, section[data-quadrant]:focus')
      .getAttribute('data-quadrant');
    return name as Quadrant;
  }

  /** The quadrants with a ring around them, which is what is drawn last. */
  async ringed(): Promise<Quadrant[]> {
    return this.page.evaluate(() => {
      const sections = [...document.querySelectorAll<HTMLElement>('section[data-quadrant]')];
      const isRinged = ({ lastElementChild }: HTMLElement) =>
        lastElementChild !== null && getComputedStyle(lastElementChild).boxShadow !== 'none';
      return sections.filter(isRinged).map(({ dataset }) => dataset.quadrant as Quadrant);
    });
  }

  /** Skips as someone with a remote or a keyboard with media keys does. */
  async skipByKey(quadrant: Quadrant): Promise<void> {
    await this.quadrant(quadrant).focus();
    await this.page.keyboard.press('MediaTrackNext');
  }

  /** Writes down, from now on, which videos come to the screen of a quadrant. Returns what tells them, in order. */
  async recordVideos(quadrant: Quadrant): Promise<() => Promise<string[]>> {
    const record = await this.quadrant(quadrant).evaluateHandle((section: HTMLElement) => {
      const ids = [section.dataset.videoId ?? ''];
      new MutationObserver(() => ids.push(section.dataset.videoId ?? '')).observe(section, {
        attributes: true,
        attributeFilter: ['data-video-id'],
      });
      return ids;
    });
    return () => record.jsonValue();
  }

  /** What is prepared after the video on screen has its first picture, out of sight. */
  async waitForPrepared(quadrant: Quadrant): Promise<void> {
    const isReady = (section: Element) =>
      (section.querySelector<HTMLVideoElement>('video[data-layer="back"]')?.readyState ?? 0) >=
      HTMLMediaElement.HAVE_CURRENT_DATA;
    await poll(() => this.quadrant(quadrant).evaluate(isReady), { message: 'the next video is prepared' }).toBe(true);
  }

  /** Whether the video on screen is silent, and how loud it would be. */
  async sound(quadrant: Quadrant): Promise<{ muted: boolean; volume: number }> {
    return this.quadrant(quadrant)
      .locator('video[data-layer="front"]')
      .evaluate(({ muted, volume }: HTMLVideoElement) => ({ muted, volume: Math.round(volume * 10) / 10 }));
  }

  async look(): Promise<Record<Quadrant, Picture>> {
    return (await this.page.evaluate(lookAtFronts)) as Record<Quadrant, Picture>;
  }
}

function advanced(before: Record<Quadrant, Picture>, now: Record<Quadrant, Picture>): Quadrant[] {
  return quadrants.filter((quadrant) => {
    const [then, present] = [before[quadrant], now[quadrant]];
    if (present === undefined || then === undefined || present.phase !== 'playing') return false;
    // In a small library the same video may have begun anew: its frames are counted from there.
    const hasChanged = present.videoId !== then.videoId || present.frames < then.frames;
    return present.time > (hasChanged ? 0 : then.time) + 0.5 && present.frames > (hasChanged ? 0 : then.frames) + 5;
  });
}

/** Runs in the page. */
function lookAtFronts(): Record<string, Picture> {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const colourOf = (video: HTMLVideoElement): [number, number, number] | null => {
    if (context === null || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.videoWidth === 0)
      return null;
    context.drawImage(video, 0, 0, 1, 1);
    try {
      const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
      return [red, green, blue];
    } catch {
      // After a network error Chromium does not vouch for where a picture has come from.
      return null;
    }
  };
  const pictures: Record<string, Picture> = {};
  for (const section of document.querySelectorAll<HTMLElement>('section[data-quadrant]')) {
    const front = section.querySelector<HTMLVideoElement>('video[data-layer="front"]');
    pictures[section.dataset.quadrant ?? ''] = {
      videoId: section.dataset.videoId ?? '',
      phase: section.dataset.phase ?? '',
      time: front?.currentTime ?? 0,
      frames: front?.getVideoPlaybackQuality().totalVideoFrames ?? 0,
      colour: front === null ? null : colourOf(front),
    };
  }
  return pictures;
}
