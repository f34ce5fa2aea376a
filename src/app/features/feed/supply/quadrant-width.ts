/**
 * Device pixels. The grid halves the window in every orientation; its outer width is near enough, and known before the
 * page is laid out.
 */
export function quadrantWidth(): number {
  return Math.ceil(((window.outerWidth || window.innerWidth) / 2) * window.devicePixelRatio);
}
