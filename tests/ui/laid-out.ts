import { vi } from 'vitest';

/**
 * happy-dom lays nothing out: this gives every element a place of its own, one below the other in the order of the
 * document.
 */
export function layOut(): void {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const top = [...document.querySelectorAll('*')].indexOf(this) * 50;
    return new DOMRect(0, top, 200, 44);
  });
  vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(() => {});
}
