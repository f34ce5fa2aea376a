import { createLayer } from '../drawing/layer.ts';
import type { SceneName } from '../scenes/scene-list.ts';
import { scenes } from '../scenes/scene-list.ts';

/**
 * Runs in the browser: paints the frames at these moments one after the other and posts each, as raw RGBA, to the
 * server that sent this page.
 */
export async function playScene(name: SceneName, moments: readonly number[]): Promise<void> {
  const { width, height, create } = scenes[name];
  const { brush } = createLayer(width, height);
  const paint = create();
  for (const moment of moments) {
    brush.reset();
    paint(brush, moment);
    await fetch('/frame', { method: 'POST', body: brush.getImageData(0, 0, width, height).data });
  }
}
