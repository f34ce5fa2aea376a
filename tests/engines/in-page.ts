import type { Quadrant } from '#contract/quadrants.ts';

/*
 * What runs in the page, in the syntax of the oldest engine: no optional chaining, no `??`. Each function sees its
 * argument alone.
 */

export interface Moment {
  readonly videoId: string;
  /** Seconds into the video, and how long it is. */
  readonly time: number;
  readonly length: number;
  /** Frames that were decoded for it so far. */
  readonly frames: number;
  readonly isPaused: boolean;
  readonly isMuted: boolean;
  /** 0 to 1, in tenths. */
  readonly volume: number;
  readonly isPinned: boolean;
  readonly isExpanded: boolean;
  readonly hasPoster: boolean;
  readonly phase: string;
  readonly readyState: number;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Chromium before 80 counts frames under a name of its own. */
type AnyVideo = HTMLVideoElement & { webkitDecodedFrameCount: number };

export function lookAtFronts(): Record<Quadrant, Moment> {
  const moments: Record<string, Moment> = {};
  for (const section of Array.from(document.querySelectorAll<HTMLElement>('section[data-quadrant]'))) {
    const front = section.querySelector('video[data-layer="front"]') as AnyVideo;
    moments[String(section.dataset.quadrant)] = {
      videoId: section.dataset.videoId || '',
      time: front.currentTime,
      length: front.duration || 0,
      frames: front.getVideoPlaybackQuality
        ? front.getVideoPlaybackQuality().totalVideoFrames
        : front.webkitDecodedFrameCount,
      isPaused: front.paused,
      isMuted: front.muted,
      volume: Math.round(front.volume * 10) / 10,
      isPinned: section.dataset.pinned === 'true',
      isExpanded: section.dataset.expanded === 'true',
      hasPoster: section.querySelector('img') !== null,
      phase: section.dataset.phase || '',
      readyState: front.readyState,
    };
  }
  return moments as Record<Quadrant, Moment>;
}

export function boxOf(selector: string): Box {
  const { left, top, width, height } = (document.querySelector(selector) as Element).getBoundingClientRect();
  return { left, top, width, height };
}

/** The button, row or field of this name, scrolled into sight; null while there is none that a mouse could press. */
export function findControl({ name, within }: { name: string; within: string }): Box | null {
  const nameOf = (element: Element) => {
    const { labels } = element as HTMLInputElement;
    const text = labels && labels.length > 0 && labels[0] ? labels[0].textContent : element.textContent;
    return (element.getAttribute('aria-label') || text || '').trim();
  };
  for (const root of Array.from(document.querySelectorAll(within))) {
    for (const element of Array.from(root.querySelectorAll('button, a, input'))) {
      if (nameOf(element) !== name || element.getBoundingClientRect().width === 0) continue;
      element.scrollIntoView({ block: 'nearest' });
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      const isOff = (element as HTMLButtonElement).disabled || getComputedStyle(element).visibility === 'hidden';
      if (hit !== null && element.contains(hit) && !isOff) return { left, top, width, height };
    }
  }
  return null;
}

export function hasHeading(title: string): boolean {
  return Array.from(document.querySelectorAll('h1')).some((heading) => (heading.textContent || '').trim() === title);
}

export function isWorkerThere(): boolean {
  return 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null;
}

export function sourcesOf(): string[] {
  return Array.from(document.querySelectorAll<HTMLVideoElement>('video[data-layer="front"]')).map(
    ({ currentSrc }) => currentSrc,
  );
}

/** Where the focus is: the name of what has it, the quadrant whose controls it is among, and the dialog it is in. */
export function focusOf(): { name: string; quadrant: string; dialog: string } {
  const focused = document.activeElement as Element;
  if (focused === document.body) return { name: '', quadrant: '', dialog: '' };
  const section = (focused.parentElement as Element).closest('section[data-entered="true"]');
  const dialog = focused.closest('[aria-modal="true"]');
  const title = dialog === null ? null : document.getElementById(dialog.getAttribute('aria-labelledby') || '');
  return {
    name: focused.getAttribute('aria-label') || focused.textContent || focused.tagName,
    quadrant: section === null ? '' : section.getAttribute('data-quadrant') || '',
    dialog: title === null ? '' : title.textContent || '',
  };
}

/** Whether no list on the page is on its way. */
export function isLoaded(): boolean {
  return (document.body.textContent || '').indexOf('Loading...') < 0;
}

/** Gives the focus to what a selector finds. */
export function focusOn(selector: string): void {
  (document.querySelector(selector) as HTMLElement).focus();
}

/**
 * Gives the focus to the first button or box whose name matches, in the topmost dialog or else in the view.
 * @returns whether it has the focus
 */
export function focusButton({ source, flags }: { source: string; flags: string }): boolean {
  const dialogs = document.querySelectorAll('[aria-modal="true"]');
  const root = dialogs[dialogs.length - 1] || document.querySelector('main');
  const pattern = new RegExp(source, flags);
  const textOf = (element: HTMLElement | null) => (element === null ? '' : element.innerText);
  const nameOf = (button: HTMLElement) => {
    const labels = (button.getAttribute('aria-labelledby') || '').split(' ').map((id) => document.getElementById(id));
    return (button.getAttribute('aria-label') || labels.map(textOf).join(' ') || button.innerText).replace(/\s+/g, ' ');
  };
  const found = Array.from(root ? root.querySelectorAll<HTMLElement>('button, [type="checkbox"]') : []).find(
    (button) => button.getBoundingClientRect().width > 0 && pattern.test(nameOf(button).trim()),
  );
  if (!found) return false;
  found.focus();
  return document.activeElement === found;
}

/** The words of the first button in a part of the page; empty while there is none. */
export function firstButtonIn(within: string): string {
  const button = document.querySelector(`${within} button`);
  if (button === null || button.textContent === null) return '';
  return button.textContent.trim();
}

/** How far the first video in a part of the page is, in seconds. */
export function timeIn(within: string): number {
  const video = document.querySelector<HTMLVideoElement>(`${within} video`);
  return video ? video.currentTime : 0;
}
