import { writeFile } from 'node:fs/promises';
import { roundEnds, SAMPLE_RATE } from './loop-noise.ts';
import type { SoundscapeName } from './soundscapes.ts';
import { soundscapes } from './soundscapes.ts';

const HEADER_BYTES = 44;
const FRAME_BYTES = 4;
const SEAM_SECONDS = 0.012;

/** Writes a soundscape as 16-bit stereo WAV, exactly as long as the loop. */
export async function writeWaveFile(file: string, name: SoundscapeName, seconds: number): Promise<void> {
  const length = Math.round(seconds * SAMPLE_RATE);
  const left = roundEnds(soundscapes[name](length, 0), SEAM_SECONDS);
  const right = roundEnds(soundscapes[name](length, 1), SEAM_SECONDS);
  const bytes = Buffer.alloc(HEADER_BYTES + length * FRAME_BYTES);
  writeHeader(bytes);
  for (let index = 0; index < length; index++) {
    bytes.writeInt16LE(toInteger(left[index]), HEADER_BYTES + index * FRAME_BYTES);
    bytes.writeInt16LE(toInteger(right[index]), HEADER_BYTES + index * FRAME_BYTES + 2);
  }
  await writeFile(file, bytes);
}

function toInteger(value = 0): number {
  return Math.round(Math.max(-1, Math.min(1, value)) * 32_767);
}

function writeHeader(bytes: Buffer): void {
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE * FRAME_BYTES, 28);
  bytes.writeUInt16LE(FRAME_BYTES, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(bytes.length - HEADER_BYTES, 40);
}
