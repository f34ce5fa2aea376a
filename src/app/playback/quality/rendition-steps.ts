import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';

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
