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
  /** What there was so far, in order: frames of the video on screen, and none where its element has no frame. */
  read(quadrant: Quadrant): Promise<FrontFrame[]>;
}

/** Writes down, from now on, what the front layers show in each frame of the page. */
export async function recordFronts(page: Page): Promise<FrontRecord> {
  const record = await page.evaluateHandle(recordFrames);
  return { read: (quadrant) => record.evaluate((frames, name) => frames[name] ?? [], quadrant) };
}

/** Whether it comes from the encoding for a quarter of the screen. */
export function isGrid({ address }: Pick<FrontFrame, 'address'>): boolean {
  return address.includes('rendition=grid');
}

/** Runs in the page. */
function recordFrames(): Record<string, FrontFrame[]> {
  const frames: Record<string, FrontFrame[]> = {};
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
      frames[quadrant] ??= [];
      frames[quadrant].push({
        videoId,
        address: front?.currentSrc ?? '',
        shownAt: performance.now(),
        seconds: front?.currentTime ?? 0,
        brightness: front ? brightnessOf(front) : 0,
        text: section.textContent ?? '',
      });
    }
    requestAnimationFrame(record);
  };
  record();
  return frames;
}
