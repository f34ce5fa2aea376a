import type { QualitySample } from '../health/quality-sample.ts';

/** A single slow second says little. */
const countedSeconds = 5;
/** Every start drops some. */
const ignoredSeconds = 3;
/** Of fewer nothing can be told: slow sources have two frames a second. */
const minFrames = 50;

type Frames = Pick<QualitySample, 'videoId' | 'droppedFrames' | 'totalFrames'>;

/** The frames of one quadrant in the last seconds, of one source. */
export class RecentFrames {
  private videoId: string | undefined;
  private seconds = 0;
  private recent: Frames[] = [];

  /** @returns `hasPlayed`: its start is over */
  add(sample: Frames): { droppedPercent: number | null; hasPlayed: boolean } {
    if (sample.videoId !== this.videoId) this.restart();
    this.videoId = sample.videoId;
    this.seconds += 1;
    const hasPlayed = this.seconds > ignoredSeconds;
    if (hasPlayed) this.recent = [...this.recent, sample].slice(-countedSeconds);
    const total = this.recent.reduce((sum, { totalFrames }) => sum + totalFrames, 0);
    const dropped = this.recent.reduce((sum, { droppedFrames }) => sum + droppedFrames, 0);
    return { droppedPercent: total >= minFrames ? (dropped / total) * 100 : null, hasPlayed };
  }

  /** Another source of the same video plays. */
  restart(): void {
    this.seconds = 0;
    this.recent = [];
  }
}
