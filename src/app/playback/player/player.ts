import type { Reading } from '../health/playback-metrics.ts';
import { readFrom } from '../health/playback-metrics.ts';
import type { Remedy, Vitals } from '../health/stall-detector.ts';
import { Care } from '../health/stall-recovery.ts';
import { Foreground } from './active-layer.ts';
import { LayerPair } from './layer-pair.ts';
import type { PlayerError, Source } from './load-source.ts';
import { Presence } from './play-conditions.ts';
import { restingFacts } from './player-facts.ts';
import type { PlayerListener } from './player-listener.ts';
import { Succession } from './source-queue.ts';
import { bufferedAhead } from './video-element.ts';

/**
 * One quadrant's player: two stacked layers. What comes is prepared on the back one, which lies beneath the front; when its first picture is
 * drawn they change places, and the old one is released once the new picture stands. So there is a picture at all times.
 */
export class Player {
  readonly #listener: PlayerListener;
  readonly #layers: LayerPair;
  readonly #foreground: Foreground;
  readonly #succession: Succession;
  readonly #care: Care;
  readonly #presence = new Presence();
  #hasFailed = false;

  /** @param first an element whose source is under way already */
  constructor(listener: PlayerListener, first?: HTMLVideoElement) {
    this.#listener = listener;
    this.#layers = new LayerPair(first);
    this.#foreground = new Foreground(this.#layers, {
      changed: listener.changed,
      ended: listener.ended,
      failed: (error) => this.#failFront(error),
    });
    this.#succession = new Succession(this.#layers, {
      changed: listener.changed,
      swapped: () => {
        this.#hasFailed = false;
        this.#foreground.takeOver();
      },
      failed: listener.failed,
      nextFailed: listener.nextFailed,
    });
    this.#care = new Care(this.#foreground, this.#succession, (error) => this.#failFront(error));
  }

  /** Seconds into the video on screen. */
  get position(): number {
    return this.#layers.front.position;
  }

  /** Seconds; NaN while unknown. */
  get duration(): number {
    return this.#foreground.video.duration;
  }

  /** Seconds of the video on screen that could be played without another byte. */
  get bufferedAhead(): number {
    return bufferedAhead(this.#foreground.video);
  }

  attachTo(host: HTMLElement): void {
    this.#layers.attachTo(host);
  }

  /** Position, length or buffer have changed: told four times a second at most, and at once after a jump. Returns what stops it. */
  onTime(hear: () => void): () => void {
    return this.#foreground.time.listen(hear);
  }

  /** Brings a video to the screen as soon as its first picture is there. What was under way or prepared is superseded and never shown. */
  prepare(source: Source): void {
    this.#succession.bring(source, this.#tellShown);
  }

  /** The same video from another address: nobody is told that a video started. */
  replaceSource(url: string, { at }: { at: number }): void {
    this.#succession.bring({ url, at }, this.#tellEnd);
  }

  /** What is on its way is not wanted any more: it never comes to the screen, and its request ends. */
  abandon(): void {
    if (this.#succession.abandon()) this.#reviveFront();
  }

  /** Gets the video after this one ready out of sight, as far and as soon as the device allows. `showNext`, `dropNext` or `prepare` ends it. */
  prepareNext(source: Source): void {
    this.#succession.prepareNext(source);
  }

  /** Brings what was prepared to the screen: at once when its picture is there. False: nothing was prepared. */
  showNext(): boolean {
    return this.#succession.showNext(this.#tellShown);
  }

  dropNext(): void {
    this.#succession.dropNext();
  }

  /** To be called inside the first tap: from then on no change of layers needs another one. */
  unlock(): void {
    this.#layers.unlock();
  }

  /** The video on screen cannot go on. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** To be called inside the tap where the browser asks for one. */
  play(): void {
    this.#presence.isWanted = true;
    this.#listener.changed({ isBlocked: false });
    this.#matchPlayback();
  }

  pause(): void {
    this.#presence.isWanted = false;
    this.#matchPlayback();
  }

  /** §5: ignored while the duration is unknown. */
  seekTo(seconds: number): void {
    this.#foreground.seekTo(seconds);
  }

  /** @param seconds back when negative */
  seekBy(seconds: number): void {
    this.seekTo(this.position + seconds);
  }

  setLooping(isLooping: boolean): void {
    this.#foreground.setLooping(isLooping);
  }

  /** To be called inside the tap. Where only one may sound, the others fall silent. */
  setMuted(isMuted: boolean): void {
    this.#foreground.setMuted(isMuted);
  }

  /** @param volume 0 to 1 */
  setVolume(volume: number): void {
    this.#foreground.setVolume(volume);
  }

  /** What should move now; null when nothing should. */
  vitals(): Vitals | null {
    return this.#presence.isPlaying ? this.#care.vitals() : null;
  }

  /** To one that should move and does not. */
  treat(remedy: Remedy): void {
    this.#care.treat(remedy);
  }

  /** What the video on screen has gone through so far, for those who count. */
  reading(): Reading {
    return readFrom(this.#foreground.video, this.#foreground.stalls);
  }

  /** The page is out of sight: nothing plays, and nothing is fetched. */
  setHidden(isHidden: boolean): void {
    if (isHidden === this.#presence.isHidden) return;
    this.#presence.isHidden = isHidden;
    this.#matchPresence();
  }

  /** Gives sources and leases up, and keeps video and second in mind. */
  suspend(): void {
    this.#presence.isAway = true;
    this.#matchPresence();
    this.#layers.front.park();
  }

  resume(): void {
    this.#presence.isAway = false;
    this.#matchPresence();
  }

  release(): void {
    this.#presence.isWanted = false;
    this.#succession.release();
    this.#foreground.release();
    this.#layers.release();
    this.#listener.changed(restingFacts);
  }

  #matchPresence(): void {
    if (!this.#presence.isPresent) this.#succession.rest();
    else this.#reviveFront();
    this.#matchPlayback();
    if (this.#presence.isPresent) this.#succession.goOn();
  }

  #matchPlayback(): void {
    const { isPlaying } = this.#presence;
    for (const part of [this.#foreground, this.#succession]) {
      if (isPlaying) part.play();
      else part.pause();
    }
  }

  #reviveFront(): void {
    if (this.#presence.isPresent) this.#foreground.revive();
  }

  /** What is on its way will take the place of a broken front by itself. */
  #failFront(error: PlayerError): void {
    this.#hasFailed = true;
    if (this.#succession.isUnderWay) return;
    this.#listener.changed({ isWaiting: false, error });
    this.#listener.failed();
  }

  readonly #tellEnd = () => {
    if (this.#foreground.video.ended) this.#listener.ended();
  };

  readonly #tellShown = () => {
    this.#listener.shown();
    this.#tellEnd();
  };
}
