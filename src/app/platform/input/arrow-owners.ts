import type { Direction } from '../focus/focus-geometry.ts';
import { isTyping } from './remote-keys.ts';

/** Whether the element uses this arrow itself: a caret in text, the thumb of a slider, the scrolling of a text that can be read further. */
export function ownsArrow(element: HTMLElement | null, direction: Direction): boolean {
  if (!element) return false;
  const isAlong = direction === 'left' || direction === 'right';
  if (element instanceof HTMLInputElement) return isAlong && (element.type === 'range' || (isTyping(element) && !isAtEnd(element, direction)));
  if (element instanceof HTMLTextAreaElement) return !isAtEnd(element, direction);
  if (element instanceof HTMLSelectElement) return false;
  return isTyping(element) || canScroll(element, direction);
}

/** A caret that cannot move further lets the focus go; of an address field no browser tells where it is. */
function isAtEnd({ value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement, direction: Direction): boolean {
  if (selectionStart === null) return value === '';
  if (selectionStart !== selectionEnd) return false;
  return direction === 'left' || direction === 'up' ? selectionStart === 0 : selectionEnd === value.length;
}

/** Only what has the focus itself scrolls, as the text of an agreement does. */
function canScroll(element: HTMLElement, direction: Direction): boolean {
  if (direction === 'left' || direction === 'right' || element.scrollHeight <= element.clientHeight + 1) return false;
  if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) return false;
  if (direction === 'up') return element.scrollTop > 0;
  return element.scrollTop + element.clientHeight < element.scrollHeight - 1;
}
