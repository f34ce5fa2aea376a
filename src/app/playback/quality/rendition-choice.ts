import { savesData } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { PictureDemand, PlayableEncoding, QualityChoice, Rendition } from '#contract/rules/rendition.ts';
import { byLines, chooseRendition, usableShare } from '#contract/rules/rendition.ts';
import { readLearned } from '../learned-device.ts';
import type { AnsweredVideo, PlayableVideo } from './playable-video.ts';
import { chosenDemand, renditionOf, toPlayableVideo } from './playable-video.ts';

interface ElementDemand {
  /** Device pixels of the element; null before layout. */
  size: { width: number; height: number } | null;
  savesData: boolean;
  quality: QualityChoice;
  /** Share of dropped frames in the last seconds; null when too few frames are known. */
  droppedPercent: number | null;
}

/** The state of a quadrant in one second. */
export interface QuadrantFacts extends ElementDemand {
  video: PlayableVideo;
  isExpanded: boolean;
  isAudible: boolean;
  isStarved: boolean;
}

/** The video's encodings with their bitrates, the lightest first. */
function encodingsOf({ renditions, durationSeconds }: PlayableVideo): PlayableEncoding[] {
  const encodings = renditions.map(({ name, width, height, bytes }) => {
    const kbps = durationSeconds ? Math.round((bytes * 8) / 1000 / durationSeconds) : null;
    return { name, width, height, kbps };
  });
  return encodings.sort(byLines);
}

/** Bitrate of the encoding that plays, in kilobits per second; null when unknown. */
export function kbpsOf(video: PlayableVideo): number | null {
  return encodingsOf(video).find(({ name }) => name === video.rendition)?.kbps ?? null;
}

export function toSharer(facts: QuadrantFacts): Sharer {
  const encodings = encodingsOf(facts.video);
  const [lightest] = encodings;
  const fitting = chooseRendition(encodings, demandOf({ ...facts, droppedPercent: null }, null));
  const least = (lightest?.kbps ?? 0) / usableShare;
  return {
    priority: facts.isExpanded ? 'expanded' : facts.isAudible ? 'audible' : 'other',
    least,
    useful: Math.max(least, (fitting?.kbps ?? 0) / usableShare),
  };
}

/**
 * @param kbps the quadrant's share of the throughput; null when unknown
 * @param reservedKbps its share of a clearly lower throughput
 */
export function toQualityReading(
  facts: QuadrantFacts,
  kbps: number | null,
  reservedKbps: number | null,
): QualityReading | null {
  const { video, isStarved, isExpanded } = facts;
  const savesData = facts.savesData || facts.quality === 'light';
  const encodings = encodingsOf(video);
  const choose = (available: number | null) => chooseRendition(encodings, demandOf(facts, available))?.name;
  const [chosen, chosenWithReserve] = [choose(kbps), choose(reservedKbps)];
  const playing = encodings.find(({ name }) => name === video.rendition);
  if (!playing || chosen === undefined || chosenWithReserve === undefined) return null;
  const isDropping = chosen !== chooseRendition(encodings, demandOf({ ...facts, droppedPercent: null }, kbps))?.name;
  return {
    videoId: video.id,
    order: encodings.map(({ name }) => name as Rendition),
    ...{ current: video.rendition, chosen, chosenWithReserve, isStarved, savesData, isExpanded, isDropping },
    isTooMuch: isDropping || (kbps !== null && playing.kbps !== null && playing.kbps > kbps * usableShare),
  };
}

/** No limit on lines: the server lists only the encodings that this viewer may use. */
function demandOf({ size, savesData, quality, droppedPercent }: ElementDemand, kbps: number | null): PictureDemand {
  const { width, height } = size ?? { width: null, height: null };
  const lines = Number.POSITIVE_INFINITY;
  return { width, height, kbps, savesData, droppedPercent, lines, ...chosenDemand(quality) };
}

/** The demand of one quadrant, in kilobits per second. */
export interface Sharer {
  /** The expanded quadrant comes first, then audible ones. */
  priority: 'expanded' | 'audible' | 'other';
  /** Throughput for its lightest encoding. */
  least: number;
  /** Throughput for the best encoding that fits its size; more has no use. */
  useful: number;
}

/**
 * Shares out the throughput of the page: each quadrant gets enough for its lightest encoding, then
 * what it can use, by priority, and equally among equal priorities. A higher total never lowers a
 * share.
 * @returns the shares, in the order of the sharers
 */
export function shareKbps(total: number, sharers: readonly Sharer[]): number[] {
  const least = sharers.reduce((sum, sharer) => sum + sharer.least, 0);
  if (total <= least) return sharers.map((sharer) => (sharer.least / least) * total);
  let left = total - least;
  const shares = sharers.map((sharer) => sharer.least);
  for (const priority of ['expanded', 'audible', 'other'] as const) {
    const places = sharers.map((_, place) => place).filter((place) => sharers[place]?.priority === priority);
    const wishes = places.map((place) => wishOf(sharers[place]));
    const given = shareEqually(left, wishes);
    for (const [at, place] of places.entries()) shares[place] = (shares[place] ?? 0) + (given[at] ?? 0);
    left -= given.reduce((sum, part) => sum + part, 0);
  }
  return shares.map((share) => share + left / shares.length);
}

function wishOf(sharer: Sharer | undefined): number {
  return sharer ? Math.max(0, sharer.useful - sharer.least) : 0;
}

/** A quadrant that wants less than an equal part leaves the rest to the others. */
function shareEqually(total: number, wishes: readonly number[]): number[] {
  const given = wishes.map(() => 0);
  const smallestFirst = wishes.map((_, place) => place).sort((a, b) => (wishes[a] ?? 0) - (wishes[b] ?? 0));
  let left = total;
  for (const [at, place] of smallestFirst.entries()) {
    const part = Math.min(wishes[place] ?? 0, left / (wishes.length - at));
    given[place] = part;
    left -= part;
  }
  return given;
}

/** The quality assessment of a quadrant in one second. */
export interface QualityReading {
  /** The video assessed; the counters restart with another one. */
  videoId: string;
  /** All encodings, the lightest first. */
  order: readonly Rendition[];
  current: Rendition;
  /** The encoding that fits the throughput. */
  chosen: Rendition;
  /** The encoding that fits a clearly lower throughput; steps up use it so that they last. */
  chosenWithReserve: Rendition;
  /** The network or the decoder cannot sustain the current encoding. */
  isTooMuch: boolean;
  /** The decoder drops frames of the current encoding. */
  isDropping: boolean;
  /** Playback has run out of data. */
  isStarved: boolean;
  savesData: boolean;
  isExpanded: boolean;
}

/** Shorter, because the viewer has asked for the larger picture. */
const expandedStepUpSeconds = 1;
/** Minimum time between two steps up, unless the viewer asks for one. */
const betweenStepsSeconds = 60;
/** A refused encoding is not tried again for this long. */
const refusedSeconds = 60;

/** Steps between the encodings of a quadrant's video, slowly enough to avoid oscillation. */
export class RenditionSteps {
  private videoId = '';
  private secondsAbove = 0;
  private secondsBelow = 0;
  private secondsSinceStep = Number.POSITIVE_INFINITY;
  /** The encoding that was too heavy, and the seconds since then. */
  private refused: Rendition | null = null;
  private refusedAgo = 0;

  /** To be called once a second. @returns the encoding to switch to, or null for no change */
  next(reading: QualityReading): Rendition | null {
    if (reading.videoId !== this.videoId) this.restart(reading.videoId);
    const { order, current, chosen, isStarved } = reading;
    this.refuse(reading);
    this.secondsSinceStep += 1;
    const place = order.indexOf(current);
    if (place < 0) return null;
    const below = isStarved ? Math.min(place - 1, order.indexOf(chosen)) : order.indexOf(chosen);
    const above = Math.min(order.indexOf(reading.chosenWithReserve), this.highest(order));
    this.secondsBelow = below < place ? this.secondsBelow + 1 : 0;
    this.secondsAbove = above > place && this.secondsBelow === 0 ? this.secondsAbove + 1 : 0;
    if (this.secondsBelow > 0 && this.secondsBelow >= secondsUntilDown(reading)) return this.step(order[below]);
    const isDue = reading.isExpanded || this.secondsSinceStep >= betweenStepsSeconds;
    if (isDue && this.secondsAbove > 0 && this.secondsAbove >= secondsUntilUp(reading)) return this.step(order[above]);
    return null;
  }

  /** The encoding returned by `next` is playing. */
  commit(): void {
    this.secondsSinceStep = 0;
  }

  private restart(videoId: string): void {
    this.videoId = videoId;
    this.secondsSinceStep = Number.POSITIVE_INFINITY;
    this.secondsAbove = 0;
    this.secondsBelow = 0;
  }

  private refuse({ current, isDropping, isStarved }: QualityReading): void {
    this.refusedAgo += 1;
    if (!isDropping && !isStarved) return;
    this.refused = current;
    this.refusedAgo = 0;
  }

  /** Index of the heaviest encoding that may be tried. */
  private highest(order: readonly Rendition[]): number {
    const refused = this.refused && this.refusedAgo < refusedSeconds ? order.indexOf(this.refused) : -1;
    return refused > 0 ? refused - 1 : order.length - 1;
  }

  private step(rendition: Rendition | undefined): Rendition | null {
    this.secondsAbove = 0;
    this.secondsBelow = 0;
    return rendition ?? null;
  }
}

/** An encoding with more lines than needed costs little, so that step down is not urgent. */
function secondsUntilDown({ isStarved, savesData, isTooMuch }: QualityReading): number {
  if (isStarved || savesData) return 0;
  return isTooMuch ? limits.renditionStepDownSeconds : limits.renditionStepUpSeconds;
}

function secondsUntilUp({ isExpanded }: QualityReading): number {
  return isExpanded ? expandedStepUpSeconds : limits.renditionStepUpSeconds;
}

/** The URL of a video that fills the window: a better encoding than the listed one, if one fits. */
export async function fittingAddress(
  video: AnsweredVideo,
  quality: QualityChoice,
  signal: AbortSignal,
): Promise<string> {
  const { path, url } = video;
  const listed = renditionOf(url);
  const { innerWidth, innerHeight, devicePixelRatio: ratio } = window;
  const size = { width: innerWidth * ratio, height: innerHeight * ratio };
  const demand = demandOf({ size, savesData: savesData(), quality, droppedPercent: null }, readLearned('kbps'));
  const chosen = chooseRendition(encodingsOf(toPlayableVideo(video, listed)), demand);
  if (chosen === null || chosen.name === listed) return url;
  const body = { path, quadrant: 'top-left', quality: chosen.name } as const;
  // On failure the listed encoding is used.
  const reply = await call(resolveVideoUrl, { body, signal, limitSeconds: limits.unansweredSeconds }).catch(() => null);
  return reply?.url ?? url;
}
