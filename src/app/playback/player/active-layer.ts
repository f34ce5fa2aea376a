import { framesOf, isIos } from '#app/platform/capabilities.ts';
import { createSignal } from '#app/platform/signal.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { now } from '#device/timers.ts';
import type { Progress } from '../health/stall-detector.ts';
import type { MediaLease } from '../media-budget.ts';
import { mediaBudget } from '../media-budget.ts';
import type { Layer, LayerEvent } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { EmitPart, PlaybackMetrics, PlayerFacts } from './player-facts.ts';
import { errorOf } from './source-loading.ts';
import { bufferedAhead, isStarved, listenTo, seekWithin } from './video-element.ts';

/** iOS pauses an element that is unmuted without a tap, within this time. */
const pausedForSoundMs = 1_000;
/** A device that pauses an element this soon after it was resumed would pause it again. */
const pausedAgainMs = 1_000;
/** One that has too few decoders may take longer. */
const pausedTwiceMs = 10_000;

/**
 * Controls the front layer: the video on screen and its sound. The two elements take turns in this
 * role.
 */
export class ActiveLayer {
  readonly time = new TimeSignal();
  /** How often playback ran out of data so far. */
  stalls = 0;
  /** The video on screen. It remains set after a failure, when the layer no longer has a source. */
  videoId: string | undefined;
  private readonly layers: LayerPair;
  private readonly emit: EmitPart;
  private readonly sound = new Sound(() => this.applySound());
  private isLooping = false;
  private isPlaying = false;
  private soundsSince = Number.NEGATIVE_INFINITY;
  private resumedAt = Number.NEGATIVE_INFINITY;

  constructor(layers: LayerPair, emit: EmitPart) {
    this.layers = layers;
    this.emit = emit;
    this.watch(layers.front);
    this.watch(layers.back);
  }

  get video(): HTMLVideoElement {
    return this.layers.front.element;
  }

  play(): void {
    this.isPlaying = true;
    this.layers.front.play();
  }

  pause(): void {
    this.isPlaying = false;
    this.layers.front.pause();
  }

  seekTo(seconds: number): void {
    if (!this.layers.front.isReady || !seekWithin(this.video, seconds)) return;
    // Playback has stopped if the video was at its end.
    if (this.isPlaying) this.layers.front.play();
  }

  setLooping(isLooping: boolean): void {
    const hasEnded = this.video.ended;
    this.isLooping = isLooping;
    this.video.loop = isLooping;
    // A video that has ended does not begin again by itself.
    if (isLooping && hasEnded) this.seekTo(0);
  }

  setMuted(isMuted: boolean): void {
    if (isMuted) this.sound.mute();
    else this.sound.unmute();
    this.applySound();
  }

  setVolume(volume: number): void {
    this.sound.setVolume(volume);
    this.applySound();
  }

  /** Takes over the new front after the layers have been swapped. */
  activate(): void {
    const { front } = this.layers;
    front.emit = this.onFrontEvent;
    this.videoId = front.source?.videoId;
    this.setLooping(this.isLooping);
    this.applySound();
    this.emitFacts({ hasFrame: true, isPreparing: false, isResting: false, ...factsOf(front.element) });
    this.time.jump();
  }

  /** Reloads a front that gave up its lease, at its last position. */
  reload(): void {
    const { front } = this.layers;
    if (front.source && !front.isHeld && !front.isWaiting) front.load(front.source, 'quadrant', this.onFrontEvent);
  }

  rest(): void {
    const { front } = this.layers;
    if (!front.isReady) return;
    front.suspend();
    this.reload();
    if (front.isWaiting) this.emitRest();
  }

  /** Returns null while nothing should advance: paused, ended, or out of data. */
  progress(): Progress | null {
    const { front } = this.layers;
    const { video } = this;
    if (video.paused || video.ended || !front.canMove) return null;
    const url = front.source?.url ?? '';
    if (!front.isReady) return { url, seconds: Number.NEGATIVE_INFINITY, frames: null };
    const isDue = !video.seeking && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    return isDue ? { url, seconds: video.currentTime, frames: framesOf(video)?.total ?? null } : null;
  }

  tryDecoder(): boolean {
    return this.layers.front.tryDecoder();
  }

  nudge(): void {
    this.layers.front.nudge();
  }

  /** Reloads the same video at the same second; a freeze frame is shown meanwhile. */
  restart(): void {
    this.layers.front.suspend();
    this.reload();
  }

  release(): void {
    this.isPlaying = false;
    this.sound.mute();
  }

  private readonly onFrontEvent = (event: LayerEvent): void => {
    if (event.type === 'failed') this.emit({ type: 'active-failed', error: event.error });
    if (event.type === 'refused') this.handleRefusal();
    if (event.type === 'lost') this.emitRest();
    if (event.type !== 'ready') return;
    this.layers.clearFreezeFrame();
    this.emitFacts({ hasFrame: true, isResting: false, ...factsOf(this.video) });
    this.time.jump();
  };

  private watch(layer: Layer): void {
    const isFront = () => layer === this.layers.front;
    reportFacts(layer.element, (facts) => isFront() && this.emitFacts(facts));
    this.time.observe(layer.element, isFront);
    listenTo(layer.element, {
      waiting: () => isFront() && this.countStall(layer),
      pause: () => isFront() && this.isPausedByDevice && this.resume(),
      ended: () => isFront() && this.emit({ type: 'ended' }),
      error: () => isFront() && layer.isReady && this.emit({ type: 'active-failed', error: errorOf(layer.element) }),
    });
  }

  /** A seek to a position without data does not count as a stall. */
  private countStall({ isReady, element }: Layer): void {
    if (isReady && !element.seeking) this.stalls += 1;
  }

  private emitFacts(facts: Partial<PlayerFacts>): void {
    this.emit({ type: 'changed', facts });
  }

  private emitRest(): void {
    this.emitFacts({ isResting: true, hasFrame: this.layers.hasFreezeFrame });
  }

  private applySound(): void {
    if (this.video.muted && !this.sound.isMuted) this.soundsSince = now();
    this.sound.applyTo(this.video);
  }

  /** The browser may require a tap for sound only, so muted playback is tried first. */
  private handleRefusal(): void {
    if (this.sound.isMuted) {
      this.emitFacts({ isBlocked: true });
      return;
    }
    this.setMuted(true);
    this.layers.front.play();
  }

  /**
   * Whether the device paused the video, not the viewer and not its end: a call, standby, another
   * app's sound, a revoked decoder.
   */
  private get isPausedByDevice(): boolean {
    const { paused, ended, error } = this.video;
    return this.isPlaying && this.layers.front.isReady && paused && !ended && !error;
  }

  /**
   * A muted video resumes at once. One with sound would interrupt the app that now plays sound, so
   * the viewer is asked.
   */
  private resume(): void {
    const isPausedForSound = !this.sound.isMuted && Math.abs(now() - this.soundsSince) < pausedForSoundMs;
    const sinceMs = Math.abs(now() - this.resumedAt);
    if (isPausedForSound) {
      this.handleRefusal();
    } else if (this.sound.isMuted && sinceMs < pausedTwiceMs && this.tryDecoder()) {
      this.resumedAt = Number.NEGATIVE_INFINITY;
    } else if (!this.sound.isMuted || sinceMs < pausedAgainMs) {
      this.emitFacts({ isBlocked: true });
    } else {
      this.resumedAt = now();
      this.layers.front.play();
    }
  }
}

/** After a seek WebKit may fire `waiting` and then play on without firing `playing`. */
const playsOnAfterSeconds = 0.5;

/** Reports the facts of one element; the caller uses them only while the element is the front. */
function reportFacts(video: HTMLVideoElement, changed: (facts: Partial<PlayerFacts>) => void): void {
  let waitsAt = Number.POSITIVE_INFINITY;
  const wait = () => {
    waitsAt = video.currentTime;
  };
  const goOn = (facts: Partial<PlayerFacts>) => {
    waitsAt = Number.POSITIVE_INFINITY;
    changed({ ...facts, isWaiting: false });
  };
  listenTo(video, {
    playing: () => goOn({ isPaused: false, isBlocked: false }),
    pause: () => goOn({ isPaused: true }),
    waiting: () => {
      wait();
      changed({ isWaiting: true });
    },
    seeking: () => waitsAt < Number.POSITIVE_INFINITY && wait(),
    timeupdate: () => video.currentTime - waitsAt > playsOnAfterSeconds && goOn({}),
    volumechange: () => changed(soundOf(video)),
    durationchange: () => changed(lengthOf(video)),
  });
}

/** All facts of an element when it becomes the front. */
function factsOf(video: HTMLVideoElement): Partial<PlayerFacts> {
  return { isPaused: video.paused, isWaiting: isStarved(video), ...soundOf(video), ...lengthOf(video) };
}

function soundOf({ muted, volume }: HTMLVideoElement): Pick<PlayerFacts, 'isMuted' | 'volume'> {
  return { isMuted: muted, volume };
}

function lengthOf({ duration }: HTMLVideoElement): Pick<PlayerFacts, 'durationSeconds'> {
  return { durationSeconds: Number.isFinite(duration) ? duration : null };
}

/** iOS pauses all audible elements but one; a TV needs one only. Elsewhere viewers mix freely. */
function audibleAtOnce(): number {
  return isIos() || document.documentElement.dataset.form === 'tv' ? 1 : quadrants.length;
}

/**
 * The sound settings of a player across all its videos; it starts muted. The element's events
 * report the actual state.
 */
class Sound {
  private volume: number = limits.volumeMax;
  private lease: MediaLease | null = null;
  private readonly silenced: () => void;

  /** @param silenced is called when another element takes the only sound lease */
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

const minIntervalMs = 250;

/**
 * Emits when the position, duration or buffered range changes: four times a second at most, and at
 * once after a seek.
 */
class TimeSignal {
  private readonly changed = createSignal();
  private emittedAt = Number.NEGATIVE_INFINITY;

  listen(listener: () => void): () => void {
    return this.changed.listen(listener);
  }

  observe(video: HTMLVideoElement, isFront: () => boolean): void {
    const flow = () => isFront() && this.flow();
    const jump = () => isFront() && this.jump();
    listenTo(video, { timeupdate: flow, progress: flow, seeking: jump, seeked: jump, durationchange: jump });
  }

  jump(): void {
    this.emittedAt = now();
    this.changed.emit();
  }

  /** `Math.abs`, because the device's clock may be set back. */
  private flow(): void {
    if (Math.abs(now() - this.emittedAt) >= minIntervalMs) this.jump();
  }
}

/** Counts the events of a player across all its videos. */
export class PlaybackMeter {
  private readonly layers: LayerPair;
  private readonly active: ActiveLayer;
  private qualityAdjustments = 0;
  private failures = 0;
  private failedVideoId: string | undefined;

  constructor(layers: LayerPair, active: ActiveLayer) {
    this.layers = layers;
    this.active = active;
  }

  countQualityAdjustment(): void {
    this.qualityAdjustments += 1;
  }

  countFailure(videoId: string | undefined): void {
    this.failures += 1;
    this.failedVideoId = videoId;
  }

  /** @param isWanted the player should play and is visible */
  read(isWanted: boolean): PlaybackMetrics {
    const { video, stalls } = this.active;
    const { total: totalFrames, dropped: droppedFrames } = this.layers.frames.read(video);
    const { qualityAdjustments, failures, failedVideoId } = this;
    return {
      isPlaying: isWanted && this.isDue,
      videoId: this.active.videoId,
      droppedFrames,
      totalFrames,
      stalls,
      qualityAdjustments,
      failures,
      failedVideoId,
      bufferedAheadSeconds: bufferedAhead(video),
      remainingSeconds: video.duration - video.currentTime,
      width: video.videoWidth,
      height: video.videoHeight,
    };
  }

  /**
   * Whether the front should be playing. This includes a front that reloads at its position, but
   * not one without a lease.
   */
  private get isDue(): boolean {
    const { isHeld, isReady, element } = this.layers.front;
    return isHeld && !(isReady && element.paused) && !element.ended && !element.error;
  }
}
