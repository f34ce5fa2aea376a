import type { FeedVideo } from './feed-video.ts';
import type { Failure } from './next-video.ts';

/** What a quadrant asked for and was given. What its elements do with it are the player's facts. */
export interface QuadrantRequest {
  isAsking: boolean;
  /** The server has something for this quadrant that is not playable yet. */
  isDownloading: boolean;
  /** Stands until the next answer, or until the viewer asks for another video. */
  failure: Failure | null;
  /** Given, and no picture of it yet. */
  coming: FeedVideo | null;
  /** Second at which `coming` starts. */
  comingAt: number;
  /** On screen. */
  shown: FeedVideo | null;
  /** Ids of the last ten, newest first. */
  recent: string[];
}

export function initialRequest(): QuadrantRequest {
  return { isAsking: false, isDownloading: false, failure: null, coming: null, comingAt: 0, shown: null, recent: [] };
}

/** Nothing is under way that would bring another video by itself. */
export function isSettled({ isAsking, isDownloading, failure, coming }: QuadrantRequest): boolean {
  return !isAsking && !isDownloading && !failure && !coming;
}
