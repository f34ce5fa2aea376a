/** One picture that reached the screen. */
export interface Frame {
  /** Milliseconds since the navigation began. */
  readonly at: number;
  /** Which of the page's video elements, in order of their making. */
  readonly element: number;
  /** Seconds into the video. */
  readonly mediaTime: number;
}

declare global {
  interface Window {
    presentedFrames: Frame[];
    /** Set by whoever has seen enough: the watch takes time of the main thread. */
    isFrameWatchOver: boolean;
    /** When the last click began, in milliseconds since the navigation. */
    lastClickAt: number;
  }
}

/**
 * Runs in the page before its own scripts, in the product and its peer alike: writes down every frame that any
 * `<video>` presents.
 */
export function watchFrames(): void {
  window.presentedFrames = [];
  window.isFrameWatchOver = false;
  const known: HTMLVideoElement[] = [];
  /** Pictures that elements have which are not part of the page yet: nobody sees them. */
  const unseen = new Map<HTMLVideoElement, number>();

  const seen = new Set<number>();
  const record = (frame: Frame) => {
    window.presentedFrames.push(frame);
    if (seen.size === 4) return;
    seen.add(frame.element);
    if (seen.size === 4) console.debug('four pictures');
  };

  const watch = (video: HTMLVideoElement) => {
    if (known.includes(video)) return;
    const element = known.push(video) - 1;
    const note: VideoFrameRequestCallback = (at, { mediaTime }) => {
      if (video.isConnected) record({ at, element, mediaTime });
      else unseen.set(video, mediaTime);
      if (!window.isFrameWatchOver) video.requestVideoFrameCallback(note);
    };
    video.requestVideoFrameCallback(note);
  };

  const seeUnseen = () => {
    for (const [video, mediaTime] of unseen) {
      if (!video.isConnected) continue;
      unseen.delete(video);
      requestAnimationFrame((at) => record({ at, element: known.indexOf(video), mediaTime }));
    }
  };

  const create = document.createElement;
  document.createElement = function (this: Document, ...given: Parameters<typeof create>) {
    const made = create.apply(this, given);
    if (made instanceof HTMLVideoElement) watch(made);
    return made;
  } as typeof create;

  new MutationObserver((records) => {
    for (const node of records.flatMap((record) => [...record.addedNodes])) {
      if (node instanceof HTMLVideoElement) watch(node);
    }
    seeUnseen();
  }).observe(document, { childList: true, subtree: true });

  addEventListener('click', (event) => (window.lastClickAt = event.timeStamp), { capture: true });
}
