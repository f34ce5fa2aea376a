import { limits } from '#contract/limits.ts';
import { after } from '../../platform/timers.ts';
import { createVideo } from '../../playback/player/video-element.ts';
import { LeasedVideo } from './leased-video.ts';
import { takeTurn } from './preview-turns.ts';

/** More than the widest card shows would only cost memory: a page holds twelve. */
const maxWidthPx = 480;

interface PreviewListener {
  onDrawn: () => void;
  onFailed: () => void;
}

/**
 * Draws one frame of a video, 10 s into it, onto a canvas. Two load at a time, with the priority of previews; decoder
 * and connection go back once the frame is drawn. Returns what cancels it.
 */
export function drawPreview(
  url: string,
  canvas: HTMLCanvasElement,
  { onDrawn, onFailed }: PreviewListener,
): () => void {
  const video = createVideo();
  let cancelTimeout = () => {};
  const leased = new LeasedVideo({
    element: video,
    url,
    at: limits.previewAtSeconds,
    priority: 'preview',
    needs: ['decoder', 'connection'],
    onAttach: () => {
      cancelTimeout = after(limits.firstBytesTimeoutSeconds * 1000, () => finish(onFailed));
    },
    onDetach: () => cancelTimeout(),
  });
  const draw = () => {
    if (video.seeking || video.videoWidth === 0) return;
    finish(drawFrame(video, canvas) ? onDrawn : onFailed);
  };
  const fail = () => finish(onFailed);
  const stop = () => {
    cancelTimeout();
    video.removeEventListener('loadeddata', draw);
    video.removeEventListener('seeked', draw);
    video.removeEventListener('error', fail);
    leased.close();
    endTurn();
  };
  const finish = (report: () => void) => {
    stop();
    report();
  };
  video.addEventListener('loadeddata', draw);
  video.addEventListener('seeked', draw);
  video.addEventListener('error', fail);
  const endTurn = takeTurn(() => leased.open());
  return stop;
}

function drawFrame(video: HTMLVideoElement, canvas: HTMLCanvasElement): boolean {
  const scale = Math.min(1, maxWidthPx / video.videoWidth);
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  const context = canvas.getContext('2d');
  context?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return context !== null;
}
