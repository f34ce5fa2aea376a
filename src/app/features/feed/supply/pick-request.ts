import { savesData } from '#app/platform/capabilities.ts';
import { kbpsFor } from '#app/playback/media-budget.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { chosenDemand } from '#app/playback/quality/playable-video.ts';
import { isInFilter } from '#app/state/quadrant-filters.ts';
import { settings } from '#app/state/settings.ts';
import { shownVideos } from '#app/state/unsent.ts';
import type { PickQuery } from '#contract/entities/feed.ts';
import type { Processing } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import type { Failure, FeedVideo, QuadrantState } from '../quadrant/quadrant.ts';
import { comingOf } from '../quadrant/quadrant.ts';

export interface SupplyRequest {
  quadrant: Quadrant;
  filter: TagFilter;
  demand: PickDemand;
  /** Ids that the pick should avoid. */
  excluded: readonly string[];
  signal: AbortSignal;
}

export type SupplyResult =
  | { kind: 'given'; video: FeedVideo }
  /**
   * The response says `available:false`. `processing`: the work on a matching video, or null;
   * `reason`: a text for the viewer.
   */
  | { kind: 'downloading'; reason: string; processing: Processing | null }
  | { kind: 'failed'; failure: Exclude<Failure, 'video-error'> }
  /** The gate is closed: the password page is shown, and the quadrant stops requesting. */
  | { kind: 'refused' }
  /** The request's signal has aborted it. */
  | { kind: 'given-up' };

/**
 * A source of videos for the quadrants. Its expected failures are results; it does not throw them.
 */
export interface VideoSource {
  pick(request: SupplyRequest): Promise<SupplyResult>;
}

/** The values by which the server chooses an encoding. */
type PickDemand = Pick<PickQuery, 'width' | 'height' | 'kbps' | 'saves' | 'audio_language'>;

/** Sizes are in device pixels, throughput in kilobits per second. */
export function pickDemand(quadrant: Quadrant): PickDemand {
  const own = { ...(playerOf(quadrant).size ?? estimateSize()), kbps: kbpsFor(quadrant), savesData: savesData() };
  const { width, height, kbps, savesData: saves } = { ...own, ...chosenDemand(settings.quality) };
  return {
    width: width ?? undefined,
    height: height ?? undefined,
    kbps: kbps ?? undefined,
    saves: saves ? '1' : undefined,
    audio_language: settings.audioLanguage ?? undefined,
  };
}

/**
 * The grid halves the window in both orientations; before layout the outer width is a good enough
 * estimate.
 */
function estimateSize(): Pick<PickDemand, 'width' | 'height'> {
  return { width: Math.ceil(((window.outerWidth || window.innerWidth) / 2) * window.devicePixelRatio) };
}

/** The part of the feed's state that a pick depends on. */
interface FeedContents {
  readonly quadrants: Readonly<Record<Quadrant, QuadrantState>>;
  /** Videos that gave no frames lately. */
  readonly broken: readonly FeedVideo[];
}

interface Avoided {
  /** Ids that the other three quadrants show, are about to show, or have prepared. */
  claimed: readonly string[];
  /** Ids on screen in one of them while its next video is being prepared. */
  leaving: readonly string[];
  /**
   * The quadrant's last ten ids, newest first, and those of all quadrants that the server may not
   * know to be seen: it was not told of them, or was killed before it had written them.
   */
  recent: readonly string[];
  broken: readonly string[];
  /** The number of videos in the quadrant's playlist; null before its first answer. */
  matching: number | null;
}

/** The ids that a pick for this quadrant should avoid. */
export function exclusionsFor({ quadrants: states, broken }: FeedContents, quadrant: Quadrant): string[] {
  const { filter, isFilterPending, recent, shown } = states[quadrant];
  const others = othersOf(states, quadrant);
  const claimed = claimedBy(others);
  const leaving = others.flatMap((other) => (comingOf(other) && other.shown) ?? []);
  return excludedIds({
    claimed: idsOf(claimed),
    leaving: idsOf(leaving.filter((video) => isInPool(video, filter))),
    recent: settings.shuffle === 'random' ? recent : [...recent, ...lastShown()],
    broken: idsOf(broken),
    matching: isFilterPending || !shown ? null : shown.matching + countOutside([...claimed, ...broken], filter),
  });
}

function lastShown(): string[] {
  const { told, untold } = shownVideos;
  return [...told, ...untold].reverse();
}

/** Whether another quadrant has this video although there are enough videos for all. */
export function isTakenElsewhere(
  { quadrants: states, broken }: FeedContents,
  quadrant: Quadrant,
  { id, matching }: FeedVideo,
): boolean {
  const claimed = claimedBy(othersOf(states, quadrant));
  const others = [...claimed, ...broken].filter((video) => video.id !== id);
  return isTakenNeedlessly(id, {
    claimed: idsOf(claimed),
    broken: idsOf(broken),
    matching: matching + countOutside(others, states[quadrant].filter),
  });
}

/**
 * The position at which a video starts in this quadrant, far from that in other quadrants which
 * show it.
 * @param positionOf current position of another quadrant, in seconds
 */
export function freePosition(
  { quadrants: states }: FeedContents,
  quadrant: Quadrant,
  video: FeedVideo,
  positionOf: (other: Quadrant) => number,
): number {
  const taken = otherNames(quadrant).flatMap((other) => {
    const { activity, shown } = states[other];
    if (activity.kind === 'coming') return activity.video.id === video.id ? activity.at : [];
    return shown?.id === video.id ? positionOf(other) : [];
  });
  return startPosition(video.durationSeconds, taken);
}

/**
 * Chooses which ids to exclude. In a small library recent videos may repeat first, the oldest of
 * them before others; then what has just left another quadrant, and then the quadrant's own last
 * one; then quadrants may show the same video; broken videos are allowed last.
 */
export function excludedIds({ claimed, leaving, recent, broken, matching }: Avoided): string[] {
  const firm = new Set([...claimed, ...broken]);
  const free = matching === null ? Number.POSITIVE_INFINITY : matching - firm.size;
  if (free <= 0 && broken.length > 0) return [...broken];
  const own = recent.slice(0, 1);
  const wished = [...new Set([...own, ...leaving, ...recent])].filter((id) => !firm.has(id));
  return [...firm, ...wished.slice(0, roomAmong(free, wished.length))].slice(0, limits.excludedVideos);
}

/**
 * How many of the free videos may be excluded: one must remain. Where not all wished ones fit, two
 * remain, or the picks would become a fixed sequence.
 */
function roomAmong(free: number, wished: number): number {
  if (wished < free) return wished;
  return free <= 2 ? Math.max(0, free - 1) : free - 2;
}

/**
 * Whether another quadrant has this video although enough working videos exist for all. With fewer
 * than four, videos may repeat.
 */
export function isTakenNeedlessly(
  id: string,
  { claimed, broken, matching }: Pick<Avoided, 'claimed' | 'broken'> & { matching: number },
): boolean {
  return claimed.includes(id) && new Set([...claimed, ...broken]).size < matching;
}

/**
 * The middle of the longest gap between the positions shown elsewhere, with the video's end joined
 * to its beginning. Returns 0 when no other quadrant shows it, or its duration is unknown.
 */
export function startPosition(durationSeconds: number | null, taken: readonly number[]): number {
  if (!durationSeconds || taken.length === 0) return 0;
  const points = [...taken].sort((a, b) => a - b);
  const stretches = points.map((from, index) => ({
    from,
    length: (points[index + 1] ?? (points[0] ?? 0) + durationSeconds) - from,
  }));
  const widest = stretches.reduce((best, stretch) => (stretch.length > best.length ? stretch : best));
  return (widest.from + widest.length / 2) % durationSeconds;
}

/** Counts the videos that the filter excludes: avoiding them does not reduce the matching ones. */
function countOutside(videos: readonly FeedVideo[], filter: TagFilter | null): number {
  return new Set(idsOf(videos.filter((video) => !isInPool(video, filter)))).size;
}

function isInPool(video: FeedVideo, filter: TagFilter | null): boolean {
  return !filter || isInFilter(video, filter);
}

function idsOf(videos: readonly FeedVideo[]): string[] {
  return videos.map(({ id }) => id);
}

/**
 * Videos that the quadrants show, are about to show, or have prepared. After a skip back, the video
 * left behind becomes the prepared one.
 */
function claimedBy(others: readonly QuadrantState[]): FeedVideo[] {
  return others.flatMap(({ activity, shown, next }) => {
    const isGoingBack = activity.kind === 'coming' && activity.back;
    return [comingOf({ activity }) ?? shown, isGoingBack ? shown : next].flatMap((video) => video ?? []);
  });
}

function othersOf(states: FeedContents['quadrants'], quadrant: Quadrant): QuadrantState[] {
  return otherNames(quadrant).map((other) => states[other]);
}

function otherNames(quadrant: Quadrant): Quadrant[] {
  return quadrants.filter((other) => other !== quadrant);
}
