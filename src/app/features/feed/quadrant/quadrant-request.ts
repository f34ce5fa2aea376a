import type { Failure } from '../supply/next-video.ts';
import type { FeedVideo } from './feed-video.ts';

/** What a quadrant asked for and was given. What its elements do with it are the player's facts. */
export interface QuadrantRequest {
  /** A video is asked for that comes to the screen as soon as it can. */
  isAsking: boolean;
  /** The server has something for this quadrant that is not playable yet. */
  isDownloading: boolean;
  /** Why, as the server says it, and how often in a row it has. */
  delay: { reason: string; times: number } | null;
  /** Stands until the next answer, or until the viewer asks for another video. */
  failure: Failure | null;
  /** Given, and no picture of it yet. */
  coming: FeedVideo | null;
  /** Second at which `coming` starts. */
  comingAt: number;
  /** `coming` is one that was here before: the viewer skips back. */
  isComingBack: boolean;
  /** On screen. */
  shown: FeedVideo | null;
  /** Prepared out of sight: skip, interval and end of the video bring it to the screen. */
  next: FeedVideo | null;
  /** Videos that stood here before, newest first: where skip back leads. */
  past: FeedVideo[];
  /** Ids of the last ten, newest first. */
  recent: string[];
  /** The feed holds the video on screen, and it loops. */
  isPinned: boolean;
  /** How often the pinned video broke without playing on in between. */
  pinnedFailures: number;
  /** Second at which it broke last. */
  pinnedFailedAt: number;
  /** The viewer paused this quadrant. */
  isHeld: boolean;
}

export function initialRequest(): QuadrantRequest {
  return {
    isAsking: false,
    isDownloading: false,
    delay: null,
    failure: null,
    coming: null,
    comingAt: 0,
    isComingBack: false,
    shown: null,
    next: null,
    past: [],
    recent: [],
    isPinned: false,
    pinnedFailures: 0,
    pinnedFailedAt: 0,
    isHeld: false,
  };
}

/** Nothing is under way that would bring another video by itself. */
export function isSettled({ isAsking, isDownloading, failure, coming }: QuadrantRequest): boolean {
  return !isAsking && !isDownloading && !failure && !coming;
}
