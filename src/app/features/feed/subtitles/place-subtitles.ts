import { watchSize } from '#app/ui/watch-size.ts';

/** Of the height of a quadrant as wide as a screen is; that of an upright one would be too much for its width. */
const lineShare = 1 / 18;
/** CSS pixels. */
const smallestFont = 12;
const gap = 6;

/**
 * Sizes the text by its quadrant, and lifts it above the controls or the filename while they are shown. Their height
 * depends on the form, the size of the window and the font, so that it is measured.
 */
export function placeSubtitles(box: HTMLElement | null): void {
  const quadrant = quadrantOf(box);
  if (!box || !quadrant) return;
  const { bottom, width, height } = quadrant.getBoundingClientRect();
  const tops = listObstacles(quadrant).map((obstacle) => bottom - obstacle.getBoundingClientRect().top);
  // Upright, a phone has its controls below the pictures.
  const lift = Math.max(0, ...tops);
  box.style.fontSize = `${Math.max(smallestFont, Math.min(height, width * (9 / 16)) * lineShare)}px`;
  box.style.bottom = lift > 0 ? `${lift + gap}px` : '';
}

/** Places it again whenever its quadrant has another size. Returns what stops it. */
export function watchQuadrant(box: HTMLElement | null): (() => void) | undefined {
  const quadrant = quadrantOf(box);
  return quadrant ? watchSize(quadrant, () => placeSubtitles(box)) : undefined;
}

function quadrantOf(box: HTMLElement | null): HTMLElement | null {
  return box?.closest<HTMLElement>('[data-quadrant]') ?? null;
}

function listObstacles(quadrant: HTMLElement): Element[] {
  const { active } = quadrant.dataset;
  const words = active === 'true' ? quadrant.querySelector('[data-controls]')?.firstElementChild : null;
  const filename = quadrant.querySelector(':scope > p > bdi');
  return [words, filename].filter((obstacle): obstacle is Element => Boolean(obstacle));
}
