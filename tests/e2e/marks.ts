/** A piece of text, or a control, that can be seen. */
export interface Mark {
  readonly text: string;
  /** Whether all of it lies inside the safe area of the screen (`--safe-*`). */
  readonly isSafe: boolean;
}

/**
 * Runs in the page: everything on it that is not picture. What fills the window, as the first tap's button, is no mark
 * of its own.
 */
export function listMarks(): Mark[] {
  const ruler = document.createElement('div');
  ruler.style.cssText =
    'position:fixed;top:0;right:0;bottom:0;left:0;box-sizing:border-box;padding:var(--safe-t) var(--safe-r) var(--safe-b) var(--safe-l);visibility:hidden';
  document.body.append(ruler);
  const { paddingTop, paddingRight, paddingBottom, paddingLeft } = getComputedStyle(ruler);
  ruler.remove();
  const toleranceCssPx = 1;
  const top = Number.parseFloat(paddingTop) - toleranceCssPx;
  const left = Number.parseFloat(paddingLeft) - toleranceCssPx;
  const right = innerWidth - Number.parseFloat(paddingRight) + toleranceCssPx;
  const bottom = innerHeight - Number.parseFloat(paddingBottom) + toleranceCssPx;

  const toMark = (text: string, rects: Iterable<DOMRect>): Mark[] => {
    const seen = [...rects].filter(({ width, height }) => width > 1 && height > 1);
    const isSafe = seen.every(
      (rect) => rect.top >= top && rect.left >= left && rect.right <= right && rect.bottom <= bottom,
    );
    return seen.length === 0 ? [] : [{ text, isSafe }];
  };
  const isSeen = (element: Element | null) => {
    const box = element?.getBoundingClientRect();
    const isForReadersOnly = box !== undefined && box.width <= 1 && box.height <= 1;
    return !isForReadersOnly && element?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) === true;
  };

  const marks: Mark[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const text = currentNode.textContent?.trim() ?? '';
    if (text === '' || !isSeen(currentNode.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(currentNode);
    marks.push(...toMark(text, range.getClientRects()));
  }
  for (const button of document.querySelectorAll('button')) {
    const box = button.getBoundingClientRect();
    const fillsWindow = box.width >= innerWidth && box.height >= innerHeight;
    if (isSeen(button) && !fillsWindow)
      marks.push(...toMark(button.getAttribute('aria-label') ?? button.innerText, [box]));
  }
  return marks;
}
