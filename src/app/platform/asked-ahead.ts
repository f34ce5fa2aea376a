import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { Answer } from './http/answer.ts';
import { after } from './timers.ts';

/** Where the first pictures stand until the feed is drawn. */
export interface PictureGrid {
  element: HTMLElement;
  hosts: Record<Quadrant, HTMLElement>;
  onTap: () => void;
}

/** What the page did before the engine was there (`src/app/ask-ahead.ts`). */
export interface AskedAhead {
  /** Answers to calls without a token, by their addresses. */
  answers: Record<string, () => Promise<Answer>>;
  /** Ends those that are still open. */
  questions: AbortController;
  /** Elements whose source is under way; null once the engine makes its own. */
  videos: Partial<Record<Quadrant, HTMLVideoElement>> | null;
  /** Where they stand; null once the engine has it. */
  grid: PictureGrid | null;
  /** The viewer has asked for them to play. */
  isTapped: boolean;
  /** Settles when every picture stands that the page can show by itself. */
  shown: Promise<unknown>;
}

declare global {
  interface Window {
    /** Absent while developing. */
    askedAhead?: AskedAhead;
  }
}

/** The answer to this call, if the page asked for it: once. What is open after the limit of a pick is ended, as it would hold a connection. */
export function takeAnswerAhead(address: string): Promise<Answer> | undefined {
  const { askedAhead } = window;
  const answer = askedAhead?.answers[address];
  if (!askedAhead || !answer) return undefined;
  delete askedAhead.answers[address];
  after(limits.pickTimeoutSeconds * 1000, () => askedAhead.questions.abort());
  return answer();
}

/** The elements that the page made, if any: once, and after that it makes no more. */
export function takeVideosAhead(): Partial<Record<Quadrant, HTMLVideoElement>> {
  const videos = window.askedAhead?.videos ?? {};
  if (window.askedAhead) window.askedAhead.videos = null;
  return videos;
}

/** The grid that the page drew, if any: once, and after that it draws none. */
export function takeGridAhead(): PictureGrid | null {
  const grid = window.askedAhead?.grid ?? null;
  if (window.askedAhead) window.askedAhead.grid = null;
  return grid;
}

export function wasTappedAhead(): boolean {
  return window.askedAhead?.isTapped ?? false;
}

/** Runs once the page shows what it can by itself, or the time is up: to do anything else takes the page's one thread from it. */
export function afterAskedAhead(atMostMs: number, run: () => void): void {
  if (!window.askedAhead) {
    run();
    return;
  }
  const limit = new Promise<void>((resolve) => after(atMostMs, resolve));
  void Promise.race([window.askedAhead.shown, limit]).then(run);
}
