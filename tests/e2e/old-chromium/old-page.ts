/*
 * What runs in a page of an old Chromium, in the syntax of its engine: no optional chaining, no `??`. Each function sees
 * its argument alone.
 */

/** These engines count frames under a name of their own; the standard one came with version 80. */
export type OldVideo = HTMLVideoElement & { webkitDecodedFrameCount: number };

export interface Moment {
  readonly quadrant: string;
  readonly videoId: string;
  readonly time: number;
  readonly frames: number;
  readonly source: string;
}

export function lookAtFronts(): Moment[] {
  return Array.from(document.querySelectorAll<HTMLElement>('section[data-quadrant]')).map((section) => {
    const front = section.querySelector('video[data-layer="front"]') as OldVideo;
    return {
      quadrant: String(section.dataset.quadrant),
      videoId: String(section.dataset.videoId),
      time: front.currentTime,
      frames: front.webkitDecodedFrameCount,
      source: front.currentSrc,
    };
  });
}

export function hasFourStills(): boolean {
  const fronts = Array.from(
    document.querySelectorAll<HTMLVideoElement>('section[data-video-id] video[data-layer="front"]'),
  );
  return fronts.length === 4 && fronts.every((front) => front.readyState >= 2 && front.videoWidth > 0);
}

export function haveAdvanced(before: readonly Moment[]): boolean {
  return before.every(({ quadrant, time, frames }) => {
    const front = document.querySelector(`section[data-quadrant="${quadrant}"] video[data-layer="front"]`) as OldVideo;
    return front.currentTime > time + 0.5 && front.webkitDecodedFrameCount > frames + 5;
  });
}

export function hasSkipped(before: Moment): boolean {
  const section = document.querySelector(`section[data-quadrant="${before.quadrant}"]`) as HTMLElement;
  const front = section.querySelector('video[data-layer="front"]') as OldVideo;
  return (
    section.dataset.videoId !== before.videoId &&
    !front.paused &&
    front.currentTime > 0 &&
    front.webkitDecodedFrameCount > 5
  );
}

/** Gives the focus to a quadrant, for keys. */
export function focusOn(quadrant: string): void {
  (document.querySelector(`section[data-quadrant="${quadrant}"]`) as HTMLElement).focus();
}

/** Opens the menu of a quadrant, as the other button of a mouse does. */
export function openMenuOf(quadrant: string): void {
  const section = document.querySelector(`section[data-quadrant="${quadrant}"]`) as HTMLElement;
  section.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, button: 2 }));
}

/** Presses the last button of this name: a dialog stands behind what it covers. */
export function pressButton(name: string): boolean {
  const named = Array.from(document.querySelectorAll('button')).filter(
    (button) => button.textContent === name && !button.disabled,
  );
  const last = named.pop();
  if (last !== undefined) last.click();
  return last !== undefined;
}

export function isDialogClosed(): boolean {
  return document.querySelector('[role="dialog"]') === null;
}
