import type { Chroma } from '#contract/rules/media/needs.ts';

/** How the samples of a frame are stored; null where the file does not say. */
export interface SampleFormat {
  bitDepth: number | null;
  chroma: Chroma | null;
}

export const unknownFormat: SampleFormat = { bitDepth: null, chroma: null };

/** A video track. */
export interface VideoTrack extends SampleFormat {
  /** `avc`, `hevc`, `vp8`, `vp9`, `av1`, `prores`; null for any other, and for one that is encrypted. */
  codec: string | null;
  /** Pixels as stored. */
  codedWidth: number;
  codedHeight: number;
  /** Pixels as shown: turned and stretched as the file wants it. */
  width: number;
  height: number;
  isDefault: boolean;
  /** How long one frame is shown, on average and as far as the header says it. */
  secondsEach: number | null;
}

/** A track of sound; `codec` is `other` for one that no browser knows, and null for one that is encrypted. */
export interface AudioTrack {
  codec: string | null;
  isDefault: boolean;
}

/** What the headers of a file say. */
export interface Tracks {
  seconds: number | null;
  /** Of any kind. */
  count: number;
  videoTracks: VideoTrack[];
  sounds: AudioTrack[];
}

/** More tracks than this are not read. */
export const maxTracks = 64;

export interface Sides {
  width: number;
  height: number;
}

/**
 * The shown size of a stored frame.
 * @param stretch width of a pixel by its height; anything but a positive number leaves the frame as it is
 */
export function toShown({ width, height }: Sides, stretch: number, isTurned: boolean): Sides {
  const isStretched = stretch > 0 && Number.isFinite(stretch);
  const wide = isStretched && stretch > 1 ? Math.round(width * stretch) : width;
  const high = isStretched && stretch < 1 ? Math.round(height / stretch) : height;
  return isTurned ? { width: high, height: wide } : { width: wide, height: high };
}
