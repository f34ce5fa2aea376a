/**
 * One of a player's two `<video>` elements: silent, inline, without controls of its own. `data-layer` says whether it is the
 * `front`, which the viewer sees, or the `back`, which lies beneath it.
 */
export function createLayer(): HTMLVideoElement {
  const layer = document.createElement('video');
  layer.muted = true;
  layer.defaultMuted = true;
  layer.playsInline = true;
  layer.setAttribute('playsinline', '');
  layer.disableRemotePlayback = true;
  layer.preload = 'auto';
  return layer;
}

/** Gives decoder and connection back. Removing the source alone frees nothing, and an empty one is an error: `load()` lets go. */
export function releaseLayer(layer: HTMLVideoElement): void {
  if (!hasSource(layer)) return;
  layer.pause();
  layer.removeAttribute('src');
  layer.load();
}

export function hasSource(layer: HTMLVideoElement): boolean {
  return layer.hasAttribute('src');
}
