import type { Brush } from '../scene.ts';
import { createRandom } from './seeded.ts';

/** A picture kept apart, to be laid over the frame. */
export type Layer = {
  readonly canvas: OffscreenCanvas;
  readonly brush: Brush;
  readonly width: number;
  readonly height: number;
};

export function createLayer(width: number, height: number, draw?: (brush: Brush) => void): Layer {
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  if (!brush) throw new Error('This browser gives no 2D canvas.');
  draw?.(brush);
  return { canvas, brush, width, height };
}

/** Runs `draw` with the state of the brush kept and put back. */
export function drawApart(brush: Brush, draw: () => void): void {
  brush.save();
  draw();
  brush.restore();
}

export function createBlurred(source: Layer, radius: number): Layer {
  return createLayer(source.width, source.height, (brush) => {
    brush.filter = `blur(${radius}px)`;
    brush.drawImage(source.canvas, 0, 0);
  });
}

/** One pixel of a shader: 0..255 for each of red, green, blue, alpha; alpha starts at 255. */
export type Sample = [red: number, green: number, blue: number, alpha: number];

export type Shade = (x: number, y: number, out: Sample) => void;

export type Pixels = { readonly layer: Layer; readonly image: ImageData };

export function createPixels(width: number, height: number): Pixels {
  const layer = createLayer(width, height);
  return { layer, image: layer.brush.createImageData(width, height) };
}

const DITHER = Float32Array.from({ length: 1 << 16 }, createRandom(77));

/**
 * Fills every pixel from `shade`. A still dither breaks the steps of dark gradients, which the codec would make wider.
 */
export function shadePixels({ layer, image }: Pixels, shade: Shade): Layer {
  const { data, width, height } = image;
  const out: Sample = [0, 0, 0, 255];
  for (let y = 0, index = 0; y < height; y++) {
    for (let x = 0; x < width; x++, index += 4) {
      out[3] = 255;
      shade(x, y, out);
      const dither = (DITHER[(x * 7919 + y * 5273 + ((x * y) >> 3)) & 65535] ?? 0.5) - 0.5;
      data[index] = out[0] + dither;
      data[index + 1] = out[1] + dither;
      data[index + 2] = out[2] + dither;
      data[index + 3] = out[3];
    }
  }
  layer.brush.putImageData(image, 0, 0);
  return layer;
}
