import type { PicturePlan } from '../ladder.ts';

/** What encodes the picture: one of ffmpeg's encoders, and what it needs. */
export interface VideoEncoder {
  /** ffmpeg's name for it. */
  name: string;
  isHardware: boolean;
  /** Device files. */
  devices: readonly string[];
  /** What stands before the input. */
  deviceArguments: readonly string[];
  /** What stands behind the filters of a picture. */
  uploadFilters: readonly string[];
  arguments(picture: PicturePlan, threads: number): string[];
}
