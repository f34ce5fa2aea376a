import type { Quadrant } from '#contract/quadrants.ts';
import type { Answer } from './answer.ts';
import { after } from './timers.ts';

/** What the page asked before the engine was there (`src/app/ask-ahead.ts`). */
export interface AskedAhead {
  /** Answers to calls without a token, by their addresses. */
  answers: Record<string, Promise<Answer>>;
  /** Elements whose source is under way; null once the engine makes its own. */
  videos: Partial<Record<Quadrant, HTMLVideoElement>> | null;
  /** Settles when every video that can load does. */
  begun: Promise<unknown>;
}

declare global {
  interface Window {
    /** Absent while developing. */
    askedAhead?: AskedAhead;
  }
}

/** The answer to this call, if the page asked for it: once. */
export function takeAnswerAhead(address: string): Promise<Answer> | undefined {
  const answer = window.askedAhead?.answers[address];
  delete window.askedAhead?.answers[address];
  return answer;
}

/** The elements that the page made, if any: once, and after that it makes no more. */
export function takeVideosAhead(): Partial<Record<Quadrant, HTMLVideoElement>> {
  const videos = window.askedAhead?.videos ?? {};
  if (window.askedAhead) window.askedAhead.videos = null;
  return videos;
}

/** Runs once the page's own questions are answered or the time is up: what takes the page's one thread would hold those answers up. */
export function afterAskedAhead(atMostMs: number, run: () => void): void {
  if (!window.askedAhead) {
    run();
    return;
  }
  const limit = new Promise<void>((resolve) => after(atMostMs, resolve));
  void Promise.race([window.askedAhead.begun, limit]).then(run);
}
