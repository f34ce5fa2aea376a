import { isIos } from '#app/platform/capabilities.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { mediaBudget } from '../budget/device-budget.ts';
import type { Lease } from '../budget/media-budget.ts';

/**
 * iOS pauses all but one that sound; in front of a television one is enough. Elsewhere each viewer mixes as they like.
 */
function audibleAtOnce(): number {
  return isIos() || document.documentElement.dataset.form === 'tv' ? 1 : quadrants.length;
}

/**
 * What a player is to sound like, over all its videos: silent until it is asked for. What it does is the element's to
 * report.
 */
export class Sound {
  private volume: number = limits.volumeMax;
  private lease: Lease | null = null;
  private readonly silenced: () => void;

  /** @param silenced another element sounds instead, where only one may. */
  constructor(silenced: () => void) {
    this.silenced = silenced;
  }

  get isMuted(): boolean {
    return !this.lease?.isHeld;
  }

  unmute(): void {
    if (this.lease) return;
    mediaBudget.setCapacity('sound', audibleAtOnce());
    const lease = mediaBudget.request({
      needs: ['sound'],
      priority: 'quadrant',
      takesTurns: true,
      granted: () => {},
      revoked: () => this.yield(),
    });
    if (lease.isHeld) this.lease = lease;
    else lease.release();
  }

  mute(): void {
    this.lease?.release();
    this.lease = null;
  }

  setVolume(volume: number): void {
    this.volume = Math.min(limits.volumeMax, Math.max(limits.volumeMin, volume));
  }

  applyTo(video: HTMLVideoElement): void {
    video.volume = this.volume;
    video.muted = this.isMuted;
  }

  private yield(): void {
    this.mute();
    this.silenced();
  }
}
