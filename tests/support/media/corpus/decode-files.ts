import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ffmpegs } from '../ffmpegs.ts';
import type { Colour, SeenColours } from './seen-colours.ts';

export interface DecodedFile {
  colours: SeenColours;
  /** Of the sound's tone, in Hz; null without sound. */
  tone: number | null;
}

const filesAtOnce = 20;
const [program = ''] = ffmpegs;

/** The first picture and the sound of each file, by few runs of ffmpeg: to start it takes longer than to decode. */
export function decodeFiles(files: readonly { file: string; hasSound: boolean }[]): DecodedFile[] {
  const decoded: DecodedFile[] = [];
  for (let at = 0; at < files.length; at += filesAtOnce) decoded.push(...decodeSome(files.slice(at, at + filesAtOnce)));
  return decoded;
}

function decodeSome(files: readonly { file: string; hasSound: boolean }[]): DecodedFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-decoded-'));
  const outputs = files.flatMap(({ hasSound }, place) => [
    ...['-map', `${place}:v:0`, '-frames:v', '1', '-vf', 'scale=4:4:flags=area,format=rgb24', '-f', 'rawvideo'],
    join(folder, `${place}.rgb`),
    ...(hasSound ? ['-map', `${place}:a:0`, '-ac', '1', '-ar', String(soundRate), '-f', 's16le'] : []),
    ...(hasSound ? [join(folder, `${place}.pcm`)] : []),
  ]);
  try {
    execFileSync(program, ['-nostdin', '-v', 'error', ...files.flatMap(({ file }) => ['-i', file]), ...outputs]);
    return files.map((_, place) => ({
      colours: readColours(readFileSync(join(folder, `${place}.rgb`))),
      tone: readTone(join(folder, `${place}.pcm`)),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Of 4x4 pixels: those of the corners lie within the quarters. */
function readColours(pixels: Buffer): SeenColours {
  const at = (x: number, y: number): Colour => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray((y * 4 + x) * 3);
    return [red, green, blue];
  };
  return { topLeft: at(0, 0), topRight: at(3, 0), bottomLeft: at(0, 3), bottomRight: at(3, 3) };
}

const soundRate = 8_000;
/** Of the loudest sample: what is less is noise of the codec. */
const audibleShare = 0.1;

/** A sine crosses zero twice in each period; silence before and after it does not count. */
function readTone(file: string): number | null {
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file);
  const samples = Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2));
  const least = Math.max(...samples.map(Math.abs)) * audibleShare;
  const audible = samples.map((sample, index) => ({ sample, index })).filter(({ sample }) => Math.abs(sample) > least);
  const crossings = audible.filter(({ sample }, place) => sample > 0 !== (audible[place - 1]?.sample ?? sample) > 0);
  const first = crossings[0]?.index ?? 0;
  const last = crossings[crossings.length - 1]?.index ?? 0;
  return last === first ? null : ((crossings.length - 1) * soundRate) / 2 / (last - first);
}
