import { savesData } from '#app/platform/capabilities.ts';
import { kbpsFor } from '#app/playback/media-budget.ts';
import { playerOf } from '#app/playback/player/player.ts';
import type { PickQuery } from '#contract/entities/feed.ts';
import type { Processing } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { matchesFilter } from '#contract/rules/tag-filter.ts';
import type { Failure, FeedVideo, QuadrantState } from '../quadrant/quadrant.ts';
import { comingOf } from '../quadrant/quadrant.ts';

export interface PickRequest {
  quadrant: Quadrant;
  filter: TagFilter;
  demand: PickDemand;
  /** Ids that the pick should avoid. */
  excluded: readonly string[];
  signal: AbortSignal;
}

export type PickResult =
  | { kind: 'given'; video: FeedVideo }
  /** `available:false`: `processing` is what makes one playable; null when nothing does. `reason`: for a person. */
  | { kind: 'downloading'; reason: string; processing: Processing | null }
  | { kind: 'failed'; failure: Exclude<Failure, 'video-error'> }
  /** The gate is closed: the password page is shown, and nothing is asked again. */
  | { kind: 'refused' }
  /** The request's signal has ended it. */
  | { kind: 'given-up' };

/** A place where a quadrant's next video may come from. It never throws for what its place may do. */
export interface VideoSource {
  pick(request: PickRequest): Promise<PickResult>;
}

/** What the server chooses an encoding by. */
type PickDemand = Pick<PickQuery, 'width' | 'height' | 'kbps' | 'saves'>;

/** In device pixels and kilobits per second. */
export function pickDemand(quadrant: Quadrant): PickDemand {
  const { width, height } = playerOf(quadrant).size ?? estimateSize();
  return { width, height, kbps: kbpsFor(quadrant), saves: savesData() ? '1' : undefined };
}

/** The grid halves the window in every orientation; its outer width is near enough before the page is laid out. */
function estimateSize(): Pick<PickDemand, 'width' | 'height'> {
  return { width: Math.ceil(((window.outerWidth || window.innerWidth) / 2) * window.devicePixelRatio) };
}

/** What a pick has to know of the feed. */
interface FeedContents {
  readonly quadrants: Readonly<Record<Quadrant, QuadrantState>>;
  /** Videos that gave no frames on this page. */
  readonly broken: readonly FeedVideo[];
}

interface Avoided {
  /** What the other three quadrants show next: each its one, and what they have prepared. */
  claimed: readonly string[];
  /** What is shown in one of them for a moment longer, while its next video is prepared. */
  leaving: readonly string[];
  /** The quadrant's own last ten, newest first. */
  recent: readonly string[];
  broken: readonly string[];
  /** How many videos the quadrant draws from; null before its first answer. */
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
    recent,
    broken: idsOf(broken),
    matching: isFilterPending || !shown ? null : shown.matching + countOutside([...claimed, ...broken], filter),
  });
}

/** Whether another quadrant has this video although there is one for each. */
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
 * Second at which a video starts in this quadrant: apart from other quadrants that show it.
 * @param positionOf second on screen
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
 * A small library gives up the oldest of the recent videos before the difference between the quadrants, and that before
 * it gives a broken video once more.
 */
export function excludedIds({ claimed, leaving, recent, broken, matching }: Avoided): string[] {
  const firm = new Set([...claimed, ...broken]);
  const free = matching === null ? Number.POSITIVE_INFINITY : matching - firm.size;
  if (free <= 0 && broken.length > 0) return [...broken];
  const wished = [...new Set([...leaving, ...recent])].filter((id) => !firm.has(id));
  return [...firm, ...wished.slice(0, roomAmong(free, wished.length))];
}

/**
 * How many of the free videos may be avoided: one stays to be drawn. Where not all fit, two stay, or the draw would
 * become a fixed sequence.
 */
function roomAmong(free: number, wished: number): number {
  if (wished < free) return wished;
  return free <= 2 ? Math.max(0, free - 1) : free - 2;
}

/**
 * Whether another quadrant has this video although there is one for each that gives frames. With fewer than four they
 * may repeat.
 */
export function isTakenNeedlessly(
  id: string,
  { claimed, broken, matching }: Pick<Avoided, 'claimed' | 'broken'> & { matching: number },
): boolean {
  return claimed.includes(id) && new Set([...claimed, ...broken]).size < matching;
}

/**
 * The middle of the widest stretch between the seconds that others show, the end of the video being joined to its
 * beginning. No other quadrant shows it, or its length is unknown: 0.
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

/** How many videos there are that the filter leaves out: avoiding them takes nothing from those that match. */
function countOutside(videos: readonly FeedVideo[], filter: TagFilter | null): number {
  return new Set(idsOf(videos.filter((video) => !isInPool(video, filter)))).size;
}

function isInPool({ tagIds }: FeedVideo, filter: TagFilter | null): boolean {
  return !filter || matchesFilter(new Set(tagIds), filter, []);
}

function idsOf(videos: readonly FeedVideo[]): string[] {
  return videos.map(({ id }) => id);
}

/**
 * Videos that they show or are about to show, and those that they have prepared, or will: what a skip back leaves is
 * prepared to follow it.
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
