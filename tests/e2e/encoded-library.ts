import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import type { Product } from '#tests/support/product.ts';
import type { Shelf } from './products.ts';

export interface EncodedLibrary {
  readonly shelf: Shelf;
  /** Stops the product, gives its videos their smaller encoding, and starts it again. @returns the file of that */
  storeGrid(product: Product): Promise<string>;
  remove(): Promise<void>;
}

const storing = fileURLToPath(new URL('../support/media/store-grid-encodings.ts', import.meta.url));
const names = ['one.mp4', 'two.mp4', 'three.mp4', 'four.mp4', 'five.mp4'];
const coder = '-c:v libx264 -preset ultrafast -g 20 -pix_fmt yuv420p -movflags +faststart -c:a aac'.split(' ');

/** Films of 30 s with 1080 lines that are nowhere dark, and the same film for a quadrant. */
export async function makeEncodedLibrary(): Promise<EncodedLibrary> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-encoded-'));
  const [source, grid] = [join(folder, 'source.mp4'), join(folder, 'grid.mp4')];
  const sized = (size: string, name: string) => `scale=${size}:flags=neighbor[${name}]`;
  const film = 'color=0x60a0c0:s=60x34:r=10:d=30,hue=h=9*t,noise=alls=12:allf=t,split[a][b]';
  makeWithFfmpeg(
    grid,
    ...['-f', 'lavfi', '-i', 'sine=d=30'],
    ...['-filter_complex', `${film};[a]${sized('1920:1080', 'source')};[b]${sized('960:540', 'grid')}`],
    ...['-map', '[source]', '-map', '0:a', ...coder, '-crf', '30', source],
    ...['-map', '[grid]', '-map', '0:a', ...coder, '-crf', '26'],
  );
  return {
    shelf: { files: Object.fromEntries(names.map((name) => [name, source])) },
    storeGrid: async (product) => {
      await product.stop();
      const { stdout } = await promisify(execFile)(process.execPath, [storing, product.dataDir, grid]);
      await product.start();
      return stdout;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
