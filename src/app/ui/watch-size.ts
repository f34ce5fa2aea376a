/**
 * Reports each size of an element; without `ResizeObserver` (Chromium 64, Safari 13.1, Firefox 69) those of the window.
 * Returns what stops it.
 */
export function watchSize(host: HTMLElement, onChange: () => void): () => void {
  if (!('ResizeObserver' in window)) {
    addEventListener('resize', onChange);
    return () => removeEventListener('resize', onChange);
  }
  const observer = new ResizeObserver(onChange);
  observer.observe(host);
  return () => observer.disconnect();
}
