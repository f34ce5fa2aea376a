/** A 2D context that paints off screen; every scene draws on one. */
export type Brush = OffscreenCanvasRenderingContext2D;

/**
 * Paints the whole frame at `t`, 0 up to 1 over the loop. The same `t` always gives the same picture, and 1 would give
 * the picture of 0.
 */
export type Paint = (brush: Brush, t: number) => void;

/** `create` builds whatever does not move, once; the returned function draws the rest. */
export type Scene = { readonly width: number; readonly height: number; readonly create: () => Paint };
