import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';

/** What a video is encoded for; those before go before. */
export type EncodeReason = 'waiting' | 'unplayable' | 'lacking' | 'popular';

/** It is worth free room, and nothing goes for it. */
export function isForFreeRoom(reason: EncodeReason): boolean {
  return reason === 'lacking' || reason === 'popular';
}

type MadeRendition = 'grid' | 'hd';

interface Source {
  /** Pixels as shown; null: not known. */
  width: number | null;
  height: number | null;
}

/**
 * What is made of a video beyond what there is. What not every device plays gets all that its source is good for; what
 * plays everywhere gets what saves most.
 */
export function renditionsToMake(
  source: Source,
  reason: EncodeReason,
  existing: readonly Rendition[],
): readonly MadeRendition[] {
  // Every encoding plays everywhere: nobody waits any more.
  if (reason !== 'popular' && existing.length > 0) return [];
  const hdFrom = reason === 'popular' ? limits.hdRenditionLines : limits.gridRenditionLines;
  const wanted: MadeRendition[] = linesOf(source) > hdFrom ? ['grid', 'hd'] : ['grid'];
  return existing.includes('grid') ? [] : wanted.filter((rendition) => !existing.includes(rendition));
}

/** Of the shorter side. What is not known counts as tall. */
function linesOf({ width, height }: Source): number {
  return width === null || height === null ? Number.POSITIVE_INFINITY : Math.min(width, height);
}
