import { limits } from '#contract/limits.ts';
import type { PlayableEncoding } from '#contract/rules/media/choose-rendition.ts';
import { chooseRendition } from '#contract/rules/media/choose-rendition.ts';
import type { ElementFacts } from './choose-playback.ts';
import { unknownElement } from './choose-playback.ts';
import type { StoredEncoding } from './encoding-repository.ts';
import type { VideoFileChoice } from './playable-encodings.ts';

/** An encoding is worth its room when it takes at most so much of what the source does. */
const worthwhileShare = 0.5;

/** Whether a source was given only because there is no `grid`: that would do for this element, and saves a lot. */
export function needsLess(
  given: VideoFileChoice,
  encodings: readonly Pick<StoredEncoding, 'rendition'>[],
  element: ElementFacts = unknownElement,
): boolean {
  if (given.name !== 'source' || encodings.some(({ rendition }) => rendition === 'grid')) return false;
  const grid = expectedGrid(given);
  const wouldDo = chooseRendition([given, grid], { ...element, lines: Number.POSITIVE_INFINITY }) === grid;
  return wouldDo && (given.kbps === null || limits.gridKbps <= given.kbps * worthwhileShare);
}

/** What would be made of it. */
function expectedGrid({ width, height }: PlayableEncoding): PlayableEncoding {
  const lines = Math.min(height ?? limits.gridRenditionLines, limits.gridRenditionLines);
  return {
    name: 'grid',
    width: width === null || height === null ? null : Math.round((width * lines) / height),
    height: lines,
    kbps: limits.gridKbps,
  };
}
