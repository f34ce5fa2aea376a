import { chromas } from '#contract/rules/media/needs.ts';
import type { SampleFormat } from '../tracks.ts';
import type { ByteWindow } from './byte-window.ts';

/** Profiles whose sequences say how samples are stored; those of all others are 8 bits and 4:2:0. */
const explicitProfiles = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const separatePlanes = 3;

/**
 * The beginning of an H.264 sequence parameter set, with the head of its NAL unit: ITU-T H.264 section 7.3.2.1.1. Null
 * for what is none. So near to the beginning no byte is there to keep start codes apart.
 */
export function readAvcSequence(file: ByteWindow, { start, end }: { start: number; end: number }): SampleFormat | null {
  if (end - start < 5) return null;
  if (!explicitProfiles.has(file.u8(start + 1))) return { bitDepth: 8, chroma: '4:2:0' };
  const bits = new BitReader(file, start + 4, end);
  bits.readExpGolomb();
  const format = bits.readExpGolomb();
  if (format === separatePlanes) bits.read();
  const bitDepth = 8 + bits.readExpGolomb();
  return bits.isBeyondEnd || bitDepth > maxBitDepth ? null : { bitDepth, chroma: chromas[format] ?? null };
}

const maxBitDepth = 14;
/** Zeros before the one of an Exp-Golomb code: none that is read here is longer. */
const maxZeros = 8;

class BitReader {
  private readonly file: ByteWindow;
  private at: number;
  private readonly end: number;

  /** @param start byte of the file */
  constructor(file: ByteWindow, start: number, end: number) {
    this.file = file;
    this.at = start * 8;
    this.end = end * 8;
  }

  get isBeyondEnd(): boolean {
    return this.at > this.end;
  }

  /** Beyond the end there are ones. */
  read(): number {
    const at = this.at;
    this.at += 1;
    return at >= this.end ? 1 : (this.file.u8(Math.floor(at / 8)) >> (7 - (at % 8))) & 1;
  }

  /** ITU-T H.264 section 9.1. */
  readExpGolomb(): number {
    let zeros = 0;
    while (zeros < maxZeros && this.read() === 0) zeros += 1;
    let value = 1;
    for (let bit = 0; bit < zeros; bit += 1) value = value * 2 + this.read();
    return value - 1;
  }
}
