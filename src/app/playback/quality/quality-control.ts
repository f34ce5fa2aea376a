import { savesData } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { QualityChoice, Rendition } from '#contract/rules/rendition.ts';
import { after, now } from '#device/timers.ts';
import { byQuadrant } from '../../../contract/quadrants.ts';
import type { QualitySample } from '../health/quality-sampler.ts';
import { readLearned } from '../learned-device.ts';
import { setShares } from '../media-budget.ts';
import { playerOf } from '../player/player.ts';
import type { Meet } from '../player/source-queue.ts';
import { isStarved, listenTo } from '../player/video-element.ts';
import type { PlayableVideo } from './playable-video.ts';
import type { QuadrantFacts, Sharer } from './rendition-choice.ts';
import { RenditionSteps, shareKbps, toQualityReading, toSharer } from './rendition-choice.ts';

/** The video on screen in a quadrant, and the state that its player does not know. */
interface HostedVideo {
  video: PlayableVideo;
  isExpanded: boolean;
  isAudible: boolean;
  /** The viewer's choice for this device. */
  quality: QualityChoice;
  /** Its URL may be replaced. */
  isFree: boolean;
}

export interface QualityHost {
  read(quadrant: Quadrant): HostedVideo | null;
  /** Another encoding of the video is on screen. */
  replaced(quadrant: Quadrant, video: PlayableVideo): void;
}

/** A quadrant that plays, and its sample of this second. */
interface Playing extends HostedVideo {
  sample: QualitySample;
}

interface Reading extends QuadrantFacts, Pick<HostedVideo, 'isFree'> {
  quadrant: Quadrant;
}

/** A step up must fit into this share of the throughput, so that fluctuations do not undo it. */
const reservedShare = 0.65;
/** An encoding takes about this long to load, so it is requested this far ahead. */
const expectedLoadSeconds = 2;
/** A video this close to its end keeps its encoding. */
const minRemainingSeconds = 10;
/** The minimum time between two tries; a try takes no longer. */
const betweenTriesMs = 15_000;

/** Switches each quadrant to the encoding that it needs and the network allows. */
export class QualityControl {
  private readonly host: QualityHost;
  private readonly steps = byQuadrant(() => new RenditionSteps());
  private readonly frames = byQuadrant(() => new RecentFrames());
  private readonly triedAt = byQuadrant(() => Number.NEGATIVE_INFINITY);
  /** The inputs of the last shares, as text. */
  private shared = '';

  constructor(host: QualityHost) {
    this.host = host;
  }

  /** To be called once a second with the samples of the players that play. */
  judge(samples: readonly QualitySample[]): void {
    const playing = samples.flatMap((sample) => this.find(sample) ?? []);
    const total = readLearned('kbps');
    if (!this.isToBeJudged(playing, total)) return;
    const readings = playing.map((one) => this.read(one));
    const sharers = readings.map(toSharer);
    const shares = shareOut(total, sharers);
    const reserved = shareOut(total === null ? null : total * reservedShare, sharers);
    setShares(Object.fromEntries(readings.map(({ quadrant }, at) => [quadrant, shares[at]])));
    for (const [at, reading] of readings.entries()) {
      const assessed = toQualityReading(reading, shares[at] ?? null, reserved[at] ?? null);
      const rendition = assessed && this.isFree(reading) && this.steps[reading.quadrant].next(assessed);
      if (rendition) void this.replace(reading, rendition);
    }
  }

  private find(sample: QualitySample): Playing | null {
    const known = this.host.read(sample.quadrant);
    return known && known.video.id === sample.videoId ? { ...known, sample } : null;
  }

  /**
   * Videos with a single encoding need no judgement each second: their shares depend on these
   * inputs alone.
   */
  private isToBeJudged(playing: readonly Playing[], total: number | null): boolean {
    const inputs = playing.map(({ sample, video: { id, rendition }, isExpanded, isAudible, quality }) =>
      [sample.quadrant, id, rendition, isExpanded, isAudible, quality].join(' '),
    );
    const before = this.shared;
    this.shared = [total, ...inputs].join();
    return before !== this.shared || playing.some(({ video }) => video.renditions.length > 1);
  }

  private read({ sample, ...known }: Playing): Reading {
    const { quadrant } = sample;
    const { droppedPercent, hasPlayed } = this.frames[quadrant].add(sample);
    const isStarved = hasPlayed && sample.stalls > 0;
    return { ...known, quadrant, size: playerOf(quadrant).size, savesData: savesData(), droppedPercent, isStarved };
  }

  /** Seconds in which the video cannot be replaced are not counted. */
  private isFree({ isFree, quadrant, isStarved }: Reading): boolean {
    const isTrying = Math.abs(now() - this.triedAt[quadrant]) < betweenTriesMs;
    return isFree && !isTrying && mayReplace(quadrant, isStarved);
  }

  private async replace({ quadrant, video, isStarved, isExpanded }: Reading, quality: Rendition): Promise<void> {
    this.triedAt[quadrant] = now();
    const body = { path: video.path, quadrant, quality, audio_track: video.audioTrack };
    // After a failed call, the encoding is requested again later.
    const reply = await call(resolveVideoUrl, { body, limitSeconds: limits.pickTimeoutSeconds }).catch(() => null);
    const isSame = this.host.read(quadrant)?.video.url === video.url;
    if (!reply || reply.rendition === video.rendition || !isSame || !mayReplace(quadrant, isStarved)) return;
    const player = playerOf(quadrant);
    player.replaceSource(reply.url, {
      at: player.position + (isStarved ? 0 : expectedLoadSeconds),
      meet: syncWithFront,
      // The other quadrants are covered: one of them lends its decoder for a moment.
      priority: isExpanded ? 'modal' : 'quadrant',
      shown: () => {
        this.triedAt[quadrant] = Number.NEGATIVE_INFINITY;
        this.frames[quadrant].restart();
        this.steps[quadrant].commit();
        const { url, rendition, audio_track: audioTrack } = reply;
        this.host.replaced(quadrant, { ...video, url, rendition, audioTrack });
      },
    });
  }
}

function shareOut(total: number | null, sharers: readonly Sharer[]): (number | null)[] {
  return total === null ? sharers.map(() => null) : shareKbps(total, sharers);
}

/** Playback advances or only lacks data, and enough of the video remains. */
function mayReplace(quadrant: Quadrant, isStarved: boolean): boolean {
  const player = playerOf(quadrant);
  return (isStarved || player.progress() !== null) && player.duration - player.position > minRemainingSeconds;
}

/** A single slow second is not significant. */
const countedSeconds = 5;
/** The first seconds of a video always drop frames. */
const ignoredSeconds = 3;
/** Fewer frames are not significant: slow sources have two frames a second. */
const minFrames = 50;

type Frames = Pick<QualitySample, 'videoId' | 'droppedFrames' | 'totalFrames'>;

/** The frames of one quadrant and one source in the last seconds. */
class RecentFrames {
  private videoId: string | undefined;
  private seconds = 0;
  private recent: Frames[] = [];

  /** @returns `hasPlayed`: the first seconds have passed */
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

/** One or two frames. */
const toleranceSeconds = 0.06;
/** A larger lead means that the viewer has sought meanwhile. */
const maxLeadSeconds = 8;
/** The front may run out of data meanwhile. */
const checkAtLeastEveryMs = 250;
/** Each seek aims this much further ahead than the one before, because it may take longer. */
const seekSeconds = 0.5;
const maxSeeks = 4;
const limitMs = 15_000;

/**
 * Keeps the back layer paused at a frame until the front reaches it. A back layer that is behind,
 * or that waits for a front which has run out of data, seeks to the front's position.
 */
export const syncWithFront: Meet = (front, back, end) => {
  let seeks = 0;
  let cancel = () => {};
  const finish = (haveMet: boolean) => {
    stop();
    end(haveMet);
  };
  const stopListening = listenTo(back, { seeked: check, error: () => finish(false) });
  const cancelLimit = after(limitMs, () => finish(false));

  function check(): void {
    cancel();
    const lead = back.currentTime - front.currentTime;
    const isReady = !back.seeking && back.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (front.ended || front.error || lead > maxLeadSeconds) finish(false);
    else if (isReady && Math.abs(lead) <= toleranceSeconds) finish(true);
    else if (isReady && (lead < 0 || isStarved(front))) seek();
    else cancel = after(Math.min(isReady ? lead * 1000 : checkAtLeastEveryMs, checkAtLeastEveryMs), check);
  }

  function seek(): void {
    seeks += 1;
    if (seeks > maxSeeks) finish(false);
    else back.currentTime = front.currentTime + (isStarved(front) ? 0 : seeks * seekSeconds);
  }

  function stop(): void {
    cancel();
    cancelLimit();
    stopListening();
  }

  check();
  return stop;
};
