import { savesData } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { PictureDemand, PlayableEncoding, Rendition } from '#contract/rules/rendition.ts';
import { chooseRendition } from '#contract/rules/rendition.ts';
import { readLearned } from '../learned-device.ts';
import type { AnsweredVideo, PlayableVideo } from './playable-video.ts';
import { renditionOf, toPlayableVideo } from './playable-video.ts';

/** What is known of a quadrant in one second. */
export interface QuadrantFacts {
  video: PlayableVideo;
  isExpanded: boolean;
  isAudible: boolean;
  /** Device pixels of its element; null: not laid out. */
  size: { width: number; height: number } | null;
  savesData: boolean;
  /** Of the frames of the last seconds; null: too few to tell. */
  droppedPercent: number | null;
  isDry: boolean;
}

/** The part of the network that an encoding may take by the rule, as `chooseRendition` has it. */
const usableShare = 0.8;

/** With what it costs, the lightest first. */
function encodingsOf({ renditions, durationSeconds }: PlayableVideo): PlayableEncoding[] {
  const encodings = renditions.map(({ name, width, height, bytes }) => {
    const kbps = durationSeconds ? Math.round((bytes * 8) / 1000 / durationSeconds) : null;
    return { name, width, height, kbps };
  });
  // Infinity less itself is not a number.
  return encodings.sort((a, b) => linesOf(a) - linesOf(b) || Number(a.name === 'source') - Number(b.name === 'source'));
}

function linesOf({ height }: PlayableEncoding): number {
  return height ?? Number.POSITIVE_INFINITY;
}

/** Kilobits per second of what plays; null where it is not known. */
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
 * @param kbps its part of what the network gives; null: not known
 * @param reservedKbps its part of clearly less
 */
export function toStanding(facts: QuadrantFacts, kbps: number | null, reservedKbps: number | null): Standing | null {
  const { video, isDry, savesData, isExpanded } = facts;
  const encodings = encodingsOf(video);
  const choose = (available: number | null) => chooseRendition(encodings, demandOf(facts, available))?.name;
  const [chosen, chosenWithReserve] = [choose(kbps), choose(reservedKbps)];
  const playing = encodings.find(({ name }) => name === video.rendition);
  if (!playing || chosen === undefined || chosenWithReserve === undefined) return null;
  const isDropping = chosen !== chooseRendition(encodings, demandOf({ ...facts, droppedPercent: null }, kbps))?.name;
  return {
    videoId: video.id,
    order: encodings.map(({ name }) => name as Rendition),
    ...{ current: video.rendition, chosen, chosenWithReserve, isDry, savesData, isExpanded, isDropping },
    isTooMuch: isDropping || (kbps !== null && playing.kbps !== null && playing.kbps > kbps * usableShare),
  };
}

/** The server lists what this viewer may have: more lines than that are not among them. */
function demandOf({ size, savesData, droppedPercent }: QuadrantFacts, kbps: number | null): PictureDemand {
  const { width, height } = size ?? { width: null, height: null };
  return { width, height, kbps, savesData, droppedPercent, lines: Number.POSITIVE_INFINITY };
}

/** What one quadrant does with its part of the network, in kilobits per second. */
export interface Sharer {
  /** The expanded one goes first, then those that sound. */
  priority: 'expanded' | 'audible' | 'other';
  /** Its lightest encoding takes that much, … */
  least: number;
  /** … and what fills it that much: more is of no use. */
  useful: number;
}

/**
 * Shares out what the network gives the page: each its lightest encoding, then what it can use, in the order of
 * priority, and those of the same priority equally. More for all is never less for one.
 * @returns in the order of the sharers
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

/** Who wants less than an equal part leaves the rest to the others. */
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

/** How a quadrant stands in one second. */
export interface Standing {
  /** Of which video: another one is judged anew. */
  videoId: string;
  /** What there is, the lightest first. */
  order: readonly Rendition[];
  current: Rendition;
  /** By what the network gives, and … */
  chosen: Rendition;
  /** … by clearly less than that: what is taken in its place has to last. */
  chosenWithReserve: Rendition;
  /** The network or the decoder does not carry what plays. */
  isTooMuch: boolean;
  /** The decoder drops frames of it. */
  isDropping: boolean;
  /** It has run out of data. */
  isDry: boolean;
  savesData: boolean;
  isExpanded: boolean;
}

/** A person has asked for the larger picture. */
const expandedStepUpSeconds = 1;
/** One step up follows on another step so much later, unless a person asks for it. */
const betweenStepsSeconds = 60;
/** What was too much is not tried again for so long. */
const refusedSeconds = 60;

/** Steps between the encodings of what one quadrant plays, slowly enough that nothing flaps. */
export class RenditionSteps {
  private videoId = '';
  private secondsAbove = 0;
  private secondsBelow = 0;
  private secondsSinceStep = Number.POSITIVE_INFINITY;
  /** What was too much, and how many seconds ago. */
  private refused: Rendition | null = null;
  private refusedAgo = 0;

  /** To be called once a second. @returns what is to play from now on; null: as it is */
  next(standing: Standing): Rendition | null {
    if (standing.videoId !== this.videoId) this.restart(standing.videoId);
    const { order, current, chosen, isDry } = standing;
    this.refuse(standing);
    this.secondsSinceStep += 1;
    const place = order.indexOf(current);
    if (place < 0) return null;
    const below = isDry ? Math.min(place - 1, order.indexOf(chosen)) : order.indexOf(chosen);
    const above = Math.min(order.indexOf(standing.chosenWithReserve), this.highest(order));
    this.secondsBelow = below < place ? this.secondsBelow + 1 : 0;
    this.secondsAbove = above > place && this.secondsBelow === 0 ? this.secondsAbove + 1 : 0;
    if (this.secondsBelow > 0 && this.secondsBelow >= secondsUntilDown(standing)) return this.step(order[below]);
    const isDue = standing.isExpanded || this.secondsSinceStep >= betweenStepsSeconds;
    if (isDue && this.secondsAbove > 0 && this.secondsAbove >= secondsUntilUp(standing)) return this.step(order[above]);
    return null;
  }

  /** What was to play does. */
  commit(): void {
    this.secondsSinceStep = 0;
  }

  private restart(videoId: string): void {
    this.videoId = videoId;
    this.secondsSinceStep = Number.POSITIVE_INFINITY;
    this.secondsAbove = 0;
    this.secondsBelow = 0;
  }

  private refuse({ current, isDropping, isDry }: Standing): void {
    this.refusedAgo += 1;
    if (!isDropping && !isDry) return;
    this.refused = current;
    this.refusedAgo = 0;
  }

  /** Place of the heaviest that may be tried. */
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

/** A picture with more lines than are seen costs little: nobody waits for the lighter one. */
function secondsUntilDown({ isDry, savesData, isTooMuch }: Standing): number {
  if (isDry || savesData) return 0;
  return isTooMuch ? limits.renditionStepDownSeconds : limits.renditionStepUpSeconds;
}

function secondsUntilUp({ isExpanded }: Standing): number {
  return isExpanded ? expandedStepUpSeconds : limits.renditionStepUpSeconds;
}

/** The address of a video that fills the window alone: of a better encoding than that of its list, where one fits. */
export async function fittingAddress(video: AnsweredVideo, signal: AbortSignal): Promise<string> {
  const { path, url } = video;
  const listed = renditionOf(url);
  const { innerWidth, innerHeight, devicePixelRatio: ratio } = window;
  const chosen = chooseRendition(encodingsOf(toPlayableVideo(video, listed)), {
    width: innerWidth * ratio,
    height: innerHeight * ratio,
    kbps: readLearned('kbps'),
    savesData: savesData(),
    droppedPercent: null,
    lines: Number.POSITIVE_INFINITY,
  });
  if (chosen === null || chosen.name === listed) return url;
  const body = { path, quadrant: 'top-left', quality: chosen.name } as const;
  // That of the list plays as well.
  const reply = await call(resolveVideoUrl, { body, signal, limitSeconds: limits.unansweredSeconds }).catch(() => null);
  return reply?.url ?? url;
}
