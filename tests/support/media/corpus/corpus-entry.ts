import { fileURLToPath } from 'node:url';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import type { UnplayableReason } from '#server/media/unplayable.ts';

/** What ffmpeg is told to make a file; each text is split at its spaces. */
export interface Recipe {
  /** Options of the picture's codec. */
  picture: string;
  /** Options of the sound's codec. */
  sound?: string;
  /** Pixels of the pattern, `160x90` unless said otherwise. */
  size?: string;
  /** Pictures in a second, 10 unless said otherwise. */
  rate?: string;
  seconds?: number;
  /** From the pattern in RGB to what the codec gets. */
  filters?: string;
  /** Files of `corpus-inputs.ts`. */
  inputs?: readonly string[];
  /** Options of the container. */
  output?: string;
  /** Degrees by which players turn it, counter-clockwise. */
  rotation?: number;
}

/** A file that is to be played: as it is, or by an encoding. */
export interface CorpusEntry {
  file: string;
  recipe: Recipe;
  durationMs: number;
  /** Pixels as shown. */
  width: number;
  height: number;
  /** Whether a tone of 440 Hz is heard. */
  hasSound: boolean;
  /** HDR: its colours pass a tone mapping, which keeps their hue alone. */
  isHdr: boolean;
  /** Checked only where `reason` is null. */
  needs: readonly MediaNeed[];
  /** Why nothing plays it as it is; null when the devices that have what it needs do. */
  reason: UnplayableReason | null;
}

/** A file that is no video, or harms who reads it. */
export interface HostileEntry {
  file: string;
  /**
   * What its headers show. Null and reasons of containers: the headers alone do not show what is wrong, and whatever
   * decodes it gives up.
   */
  reason: UnplayableReason | null;
}

/** What is shown by every file of the corpus that is to be played, as it is seen: red, green, blue and yellow. */
export const quarterColours = {
  topLeft: [200, 40, 40],
  topRight: [40, 160, 40],
  bottomLeft: [40, 40, 200],
  bottomRight: [200, 200, 40],
} as const;

export type Quarter = keyof typeof quarterColours;

const folder = new URL('../../../fixtures/corpus/', import.meta.url);

/** The absolute path of a file of the corpus. */
export function corpusFile(file = ''): string {
  return fileURLToPath(new URL(file, folder));
}

/** One with what nearly all have in common: one second, 160x90, playable everywhere. */
export function entry(file: string, recipe: Recipe, facts: Partial<CorpusEntry> = {}): CorpusEntry {
  return {
    file,
    recipe,
    durationMs: 1_000,
    width: 160,
    height: 90,
    hasSound: recipe.sound !== undefined,
    isHdr: false,
    needs: [],
    reason: null,
    ...facts,
  };
}
