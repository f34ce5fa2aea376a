import type { Brush } from '../scene.ts';
import type { Color } from './color.ts';
import { writeColor } from './color.ts';
import type { Layer } from './layer.ts';
import { createLayer, createPixels, shadePixels } from './layer.ts';

/** Light that falls off softly, as a picture with alpha, ready to be added with `lighter` or `screen`. */
export function createGlow(color: Color, radius = 64, sharpness = 2.2): Layer {
  const pixels = createPixels(radius * 2, radius * 2);
  return shadePixels(pixels, (x, y, out) => {
    const distance = Math.hypot(x + 0.5 - radius, y + 0.5 - radius) / radius;
    out[0] = color[0];
    out[1] = color[1];
    out[2] = color[2];
    out[3] = 255 * Math.max(0, 1 - distance) ** sharpness;
  });
}

export function drawGlow(brush: Brush, glow: Layer, x: number, y: number, radius: number, alpha = 1): void {
  brush.globalAlpha = alpha;
  brush.drawImage(glow.canvas, x - radius, y - radius, radius * 2, radius * 2);
  brush.globalAlpha = 1;
}

export function fillDisc(brush: Brush, x: number, y: number, radius: number): void {
  brush.beginPath();
  brush.arc(x, y, Math.max(0, radius), 0, Math.PI * 2);
  brush.fill();
}

/** Darkens the corners the way a lens does. */
export function createVignette(width: number, height: number, strength = 0.45): Layer {
  return createLayer(width, height, (brush) => {
    const gradient = brush.createRadialGradient(
      width / 2,
      height / 2,
      height * 0.35,
      width / 2,
      height / 2,
      Math.hypot(width, height) * 0.56,
    );
    gradient.addColorStop(0, writeColor([0, 0, 0], 0));
    gradient.addColorStop(0.6, writeColor([0, 0, 0], strength * 0.35));
    gradient.addColorStop(1, writeColor([0, 0, 0], strength));
    brush.fillStyle = gradient;
    brush.fillRect(0, 0, width, height);
  });
}
