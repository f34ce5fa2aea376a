import type { Quadrant } from '#contract/quadrants.ts';

/** What the page asked before the engine was there (`src/app/ask-ahead.ts`). */
export interface AskedAhead {
  /** Answers to calls without a token, by their addresses. */
  answers: Record<string, Promise<Response>>;
  /** Elements whose source is under way; null once the engine makes its own. */
  videos: Partial<Record<Quadrant, HTMLVideoElement>> | null;
}

declare global {
  interface Window {
    /** Absent while developing. */
    askedAhead?: AskedAhead;
  }
}

/** The answer to this call, if the page asked for it: once. */
export function takeAnswerAhead(address: string): Promise<Response> | undefined {
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
