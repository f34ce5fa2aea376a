import type { Direction } from '../focus/focus-geometry.ts';
import { isTyping } from './remote-keys.ts';

/**
 * Whether the element handles this arrow natively: it moves a caret or a slider's thumb, or scrolls text that
 * continues.
 */
export function ownsArrow(element: HTMLElement | null, direction: Direction): boolean {
  if (!element) return false;
  const isAlong = direction === 'left' || direction === 'right';
  if (element instanceof HTMLInputElement)
    return isAlong && (element.type === 'range' || (isTyping(element) && !isAtEnd(element, direction)));
  if (element instanceof HTMLTextAreaElement) return !isAtEnd(element, direction);
  if (element instanceof HTMLSelectElement) return false;
  return isTyping(element) || canScroll(element, direction);
}

/**
 * A caret at the end lets the focus move on. `selectionStart` is null for email fields, so only empty ones count as at
 * the end.
 */
function isAtEnd(
  { value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement,
  direction: Direction,
): boolean {
  if (selectionStart === null) return value === '';
  if (selectionStart !== selectionEnd) return false;
  return direction === 'left' || direction === 'up' ? selectionStart === 0 : selectionEnd === value.length;
}

/** Whether a text continues in this direction, such as that of an agreement. */
export function canScroll(element: HTMLElement, direction: Direction): boolean {
  if (direction === 'left' || direction === 'right' || element.scrollHeight <= element.clientHeight + 1) return false;
  if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) return false;
  if (direction === 'up') return element.scrollTop > 0;
  return element.scrollTop + element.clientHeight < element.scrollHeight - 1;
}
