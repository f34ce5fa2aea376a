/** Of the height of a quadrant. */
const lineShare = 1 / 18;
/** CSS pixels. */
const smallestFont = 12;
const gap = 6;

/**
 * Sizes the text by its quadrant, and lifts it above the controls or the filename while they are shown. Their height
 * depends on the form, the size of the window and the font, so that it is measured.
 */
export function placeSubtitles(box: HTMLElement): void {
  const quadrant = box.closest<HTMLElement>('[data-quadrant]');
  if (!quadrant) return;
  const { bottom, height } = quadrant.getBoundingClientRect();
  const tops = listObstacles(quadrant).map((obstacle) => bottom - obstacle.getBoundingClientRect().top);
  // Upright, a phone has its controls below the pictures.
  const lift = Math.max(0, ...tops);
  box.style.fontSize = `${Math.max(smallestFont, height * lineShare)}px`;
  box.style.bottom = lift > 0 ? `${lift + gap}px` : '';
}

function listObstacles(quadrant: HTMLElement): Element[] {
  const { active } = quadrant.dataset;
  const words = active === 'true' ? quadrant.querySelector('[data-controls]')?.firstElementChild : null;
  const filename = quadrant.querySelector(':scope > p > bdi');
  return [words, filename].filter((obstacle): obstacle is Element => Boolean(obstacle));
}
