import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fixtures = fileURLToPath(new URL('../../fixtures/videos', import.meta.url));
const clips = fileURLToPath(new URL('../../../src/demo/clips', import.meta.url));

/** A real MP4 of some kilobytes that every browser plays; `which` chooses among several. */
export function smallVideo(which = 0): string {
  return chooseFile(fixtures, which);
}

/** A real MP4 of about a megabyte. */
export function largeVideo(which = 0): string {
  return chooseFile(clips, which);
}

function chooseFile(folder: string, which: number): string {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.mp4'))
    .sort();
  const name = names[which % names.length];
  if (name === undefined) throw new Error(`There are no videos in ${folder}.`);
  return join(folder, name);
}

/** Puts playable videos into a folder. Names may lead into folders. */
export function putVideos(folder: string, ...names: string[]): void {
  for (const [which, name] of names.entries()) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(smallVideo(which), join(folder, name));
  }
}

/** Puts a file of these bytes into a folder. */
export function putFile(folder: string, name: string, content: Uint8Array | string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** A box of ISO 14496-12; `size` lies when it is given. */
export function box(type: string, content: Uint8Array | string = '', size?: number): Buffer {
  const body = Buffer.from(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size ?? body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export const ftyp = box('ftyp', 'isom\0\0\0\0isommp42');
