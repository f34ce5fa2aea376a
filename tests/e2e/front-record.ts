import type { Page } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';

/** What a quadrant showed in one frame of the page. */
export interface FrontFrame {
  readonly videoId: string;
  readonly address: string;
  /** When it was shown, in milliseconds of the page's clock. */
  readonly shownAt: number;
  /** Into the video. */
  readonly seconds: number;
  /** Of its brightest channel on the average, 0 to 255; 0 without a frame. */
  readonly brightness: number;
  readonly text: string;
}

interface FrontRecord {
  /** What there was so far, in order: changes of the video on screen, dark ones where its element has no frame. */
  read(quadrant: Quadrant): Promise<FrontFrame[]>;
  /** Of the frames so far that come from another encoding than the one for a quarter of the screen. */
  better(quadrant: Quadrant): Promise<{ frames: number; seconds: number }>;
}

const gridMark = 'rendition=grid';

/** Writes down, from now on, what the front layers show whenever that changes. */
export async function recordFronts(page: Page): Promise<FrontRecord> {
  const record = await page.evaluateHandle(recordFrames);
  return {
    read: (quadrant) => record.evaluate((frames, name) => frames[name] ?? [], quadrant),
    // The page counts: handing all frames over again and again would slow down what they show.
    better: (quadrant) => record.evaluate(countBetter, { quadrant, gridMark }),
  };
}

/** Runs in the page. */
function countBetter(
  frames: Record<string, FrontFrame[]>,
  { quadrant, gridMark }: { quadrant: string; gridMark: string },
) {
  const better = (frames[quadrant] ?? []).filter(({ address }) => !address.includes(gridMark));
  const [first, last] = [better[0], better[better.length - 1]];
  return { frames: better.length, seconds: first && last ? last.seconds - first.seconds : 0 };
}

/** Whether it comes from the encoding for a quarter of the screen. */
export function isGrid({ address }: Pick<FrontFrame, 'address'>): boolean {
  return address.includes(gridMark);
}

/** Runs in the page. */
function recordFrames(): Record<string, FrontFrame[]> {
  const frames: Record<string, FrontFrame[]> = {};
  const states: Record<string, string> = {};
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const brightnessOf = (video: HTMLVideoElement): number => {
    if (!context || video.error || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.videoWidth === 0)
      return 0;
    context.clearRect(0, 0, 1, 1);
    context.drawImage(video, 0, 0, 1, 1);
    return Math.max(...context.getImageData(0, 0, 1, 1).data.slice(0, 3));
  };
  const record = () => {
    for (const section of document.querySelectorAll<HTMLElement>('section[data-quadrant]')) {
      const { quadrant = '', videoId = '' } = section.dataset;
      const front = section.querySelector<HTMLVideoElement>('video[data-layer="front"]');
      const address = front?.currentSrc ?? '';
      const seconds = front?.currentTime ?? 0;
      const text = section.textContent ?? '';
      const state = [videoId, address, seconds, front?.readyState, text].join('\n');
      // Reading a pixel takes long where the machine draws by itself.
      if (states[quadrant] === state) continue;
      states[quadrant] = state;
      frames[quadrant] ??= [];
      const brightness = front ? brightnessOf(front) : 0;
      frames[quadrant].push({ videoId, address, shownAt: performance.now(), seconds, brightness, text });
    }
    requestAnimationFrame(record);
  };
  record();
  return frames;
}
