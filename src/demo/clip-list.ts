import type { SceneName } from './scenes/scene-list.ts';
import type { SoundscapeName } from './sound/soundscapes.ts';

/** `megabytes` is what the encoder aims at: more for scenes with much fine movement. */
export type Clip = {
  readonly name: string;
  readonly scene: SceneName;
  readonly seconds: number;
  readonly fps: 24 | 30;
  readonly megabytes: number;
  readonly sound?: SoundscapeName;
};

export const clips: readonly Clip[] = [
  { name: 'north-pier-last-light', scene: 'sea', seconds: 14, fps: 24, megabytes: 1.4, sound: 'waves' },
  { name: 'cedar-walk-morning', scene: 'forest', seconds: 16, fps: 24, megabytes: 0.85, sound: 'wind' },
  { name: 'harbour-skyline', scene: 'skyline', seconds: 14, fps: 24, megabytes: 1.25 },
  { name: 'ridge-line-timelapse', scene: 'mountains', seconds: 16, fps: 24, megabytes: 0.75 },
  { name: 'kelp-bay-shoal', scene: 'shoal', seconds: 16, fps: 24, megabytes: 1.15 },
  { name: 'erg-walk-evening', scene: 'dunes', seconds: 14, fps: 24, megabytes: 0.8 },
  { name: 'tram-window-rain', scene: 'rain', seconds: 15, fps: 24, megabytes: 0.95, sound: 'rain' },
  { name: 'open-air-encore', scene: 'stageLights', seconds: 14, fps: 24, megabytes: 1.05 },
  { name: 'tromso-first-aurora', scene: 'aurora', seconds: 16, fps: 24, megabytes: 0.95, sound: 'chords' },
  { name: 'lantern-lake-rising', scene: 'lanterns', seconds: 16, fps: 24, megabytes: 1.05 },
  { name: 'first-snow-cabin', scene: 'cabin', seconds: 15, fps: 24, megabytes: 0.9 },
  { name: 'moon-jelly-drift', scene: 'jellyfish', seconds: 15, fps: 24, megabytes: 0.65 },
];
