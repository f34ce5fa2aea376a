/** The playback position and frame count of a video that should be playing. */
export interface Progress {
  url: string;
  seconds: number;
  /** Frames presented so far; null where the browser does not count them. */
  frames: number | null;
}

/** The recovery steps for a stalled player, in this order. */
export type RecoveryStep = 'nudge' | 'reload' | 'give-up';

const steps: readonly RecoveryStep[] = ['nudge', 'reload', 'give-up'];

/**
 * Numbers of checks, one per second. Some sources have one frame in several seconds, hence the
 * longer wait for frames.
 */
const checksWithoutTime = 3;
const checksWithoutFrames = 12;
const checksUntilRecovered = 5;
const checksUntilMoving = 2;
/** Frames between two checks of a source that has them often. */
const oftenFrames = 2;

/** Some engines know the number of frames, and always say 0. */
let hasCountedFrames = false;

/**
 * Detects a stalled player and returns the next recovery step. It counts checks instead of time, so
 * that a change of the device's clock has no effect.
 */
export class StallDetector {
  private url = '';
  private last: Progress | null = null;
  private withoutTime = 0;
  private withoutFrames = 0;
  private moving = 0;
  private tried = 0;
  private hasFramesOften = false;
  /** For three checks nothing has moved, although it should: a decoder may be missing. */
  standsStill = false;

  /** It was seen to move in the last checks. */
  get isMoving(): boolean {
    return this.moving >= checksUntilMoving;
  }

  /** @param progress null while nothing should play */
  check(progress: Progress | null): RecoveryStep | null {
    const { last } = this;
    this.last = progress;
    this.standsStill = false;
    if (progress) this.watch(progress.url);
    if (!progress || progress.url !== last?.url) return this.resetCounts();
    this.withoutTime = progress.seconds === last.seconds ? this.withoutTime + 1 : 0;
    this.countFrames(progress.frames, last.frames);
    return this.decide();
  }

  private countFrames(frames: number | null, before: number | null): void {
    this.withoutFrames = frames !== null && frames === before ? this.withoutFrames + 1 : 0;
    if (frames === null || before === null) return;
    hasCountedFrames ||= frames > 0;
    this.hasFramesOften ||= frames - before >= oftenFrames;
  }

  private isWithoutFrames(): boolean {
    const hasNone = this.last?.frames === 0 && hasCountedFrames;
    return (this.hasFramesOften || hasNone) && this.withoutFrames >= checksWithoutTime;
  }

  /**
   * A recovery step interrupts a video for a moment, so the steps tried for the same video stay
   * counted.
   */
  private watch(url: string): void {
    if (url === this.url) return;
    this.url = url;
    this.tried = 0;
    this.hasFramesOften = false;
  }

  private decide(): RecoveryStep | null {
    this.standsStill = this.withoutTime >= checksWithoutTime || this.isWithoutFrames();
    const isFrozen = this.withoutTime >= checksWithoutTime || this.withoutFrames >= checksWithoutFrames;
    if (isFrozen) return this.nextStep();
    this.moving = this.withoutTime === 0 && this.withoutFrames === 0 ? this.moving + 1 : 0;
    if (this.moving >= checksUntilRecovered) this.tried = 0;
    return null;
  }

  private nextStep(): RecoveryStep | null {
    const step = steps[this.tried] ?? null;
    this.tried += 1;
    this.resetCounts();
    return step;
  }

  private resetCounts(): null {
    this.withoutTime = 0;
    this.withoutFrames = 0;
    this.moving = 0;
    return null;
  }
}
