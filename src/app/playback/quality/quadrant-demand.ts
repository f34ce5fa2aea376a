import type { PictureDemand, PlayableEncoding } from '#contract/rules/media/choose-rendition.ts';
import { chooseRendition } from '#contract/rules/media/choose-rendition.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import type { PlayableVideo } from './playable-video.ts';
import type { Standing } from './rendition-steps.ts';
import type { Sharer } from './share-kbps.ts';

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
export function encodingsOf({ renditions, durationSeconds }: PlayableVideo): PlayableEncoding[] {
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
