import type { Page } from '@playwright/test';

export type Colour = [number, number, number];

/** A point of the window, as shares of its width and height. */
export type Point = readonly [number, number];

interface Frame {
  /** Seconds. */
  readonly at: number;
  /** A JPEG in base64. */
  readonly picture: string;
}

/**
 * What the browser put on screen, frame by frame, as its compositor gives it: not what elements say about themselves.
 */
export class Screencast {
  readonly #page: Page;
  readonly #frames: Frame[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Records until the page closes. @returns once the first frame is there */
  static async start(page: Page): Promise<Screencast> {
    const screencast = new Screencast(page);
    const devtools = await page.context().newCDPSession(page);
    const hasBegun = new Promise((resolve) => devtools.once('Page.screencastFrame', resolve));
    devtools.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      screencast.#frames.push({ at: metadata.timestamp ?? 0, picture: data });
      devtools.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
    });
    await devtools.send('Page.startScreencast', {
      format: 'jpeg',
      quality: 80,
      maxWidth: 480,
      maxHeight: 300,
      everyNthFrame: 1,
    });
    await hasBegun;
    return screencast;
  }

  /** In the order in which they were on screen: the browser may hand one over before the one that it follows. */
  get #pictures(): string[] {
    return [...this.#frames].sort((one, other) => one.at - other.at).map(({ picture }) => picture);
  }

  /** One frame, a JPEG. */
  picture(at: number): Buffer {
    return Buffer.from(this.#pictures[at] ?? '', 'base64');
  }

  /** The colours at some points of each frame so far. */
  async colours(points: readonly Point[]): Promise<Colour[][]> {
    const studio = await this.#page.context().newPage();
    const colours = await studio.evaluate(readColours, { pictures: this.#pictures, points });
    await studio.close();
    return colours;
  }
}

/** Runs in a page. */
async function readColours({
  pictures,
  points,
}: {
  pictures: string[];
  points: readonly Point[];
}): Promise<Colour[][]> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('no canvas');
  const frames: Colour[][] = [];
  for (const picture of pictures) {
    const image = new Image();
    image.src = `data:image/jpeg;base64,${picture}`;
    await image.decode();
    canvas.width = image.width;
    canvas.height = image.height;
    context.drawImage(image, 0, 0);
    frames.push(
      points.map(([x, y]) => {
        const [red = 0, green = 0, blue = 0] = context.getImageData(
          Math.floor(x * image.width),
          Math.floor(y * image.height),
          1,
          1,
        ).data;
        return [red, green, blue];
      }),
    );
  }
  return frames;
}
