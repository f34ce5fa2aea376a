import { savesData } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import { readLearned } from '../budget/learned-device.ts';
import { byQuadrant } from '../by-quadrant.ts';
import type { QualitySample } from '../health/quality-sample.ts';
import { playerOf } from '../player/player-store.ts';
import { setShares } from './kbps-share.ts';
import { meetFront } from './meet-front.ts';
import type { PlayableVideo } from './playable-video.ts';
import type { QuadrantFacts } from './quadrant-demand.ts';
import { toSharer, toStanding } from './quadrant-demand.ts';
import { RecentFrames } from './recent-frames.ts';
import { RenditionSteps } from './rendition-steps.ts';
import { shareKbps } from './share-kbps.ts';

/** What has to be known of a quadrant beyond its player. */
interface HostedVideo {
  /** On screen. */
  video: PlayableVideo;
  isExpanded: boolean;
  isAudible: boolean;
  /** It may be played from another address. */
  isFree: boolean;
}

export interface QualityHost {
  read(quadrant: Quadrant): HostedVideo | null;
  /** Another encoding of the video is on screen. */
  replaced(quadrant: Quadrant, video: PlayableVideo): void;
}

interface Reading extends QuadrantFacts, Pick<HostedVideo, 'isFree'> {
  quadrant: Quadrant;
}

/** A step up has to fit into that much of what the network gives, so that its ups and downs undo no step. */
const reservedShare = 0.65;
/** What is asked for comes about so much later. */
const expectedLoadSeconds = 2;
/** Close to its end a video is left as it is. */
const minRemainingSeconds = 10;
/** After one that failed, and as long as one may take. */
const betweenTriesMs = 15_000;

/** Has each quadrant play the encoding that it needs and can have. */
export class QualityControl {
  private readonly host: QualityHost;
  private readonly steps = byQuadrant(() => new RenditionSteps());
  private readonly frames = byQuadrant(() => new RecentFrames());
  private readonly triedAt = byQuadrant(() => Number.NEGATIVE_INFINITY);

  constructor(host: QualityHost) {
    this.host = host;
  }

  /** To be called once a second, with what was sampled in it: of players that play. */
  judge(samples: readonly QualitySample[]): void {
    const readings = samples.flatMap((sample) => this.read(sample) ?? []);
    const total = readLearned('kbps');
    const shares = shareOut(total, readings);
    const reserved = shareOut(total === null ? null : total * reservedShare, readings);
    setShares(Object.fromEntries(readings.map(({ quadrant }, at) => [quadrant, shares[at]])));
    for (const [at, reading] of readings.entries()) {
      const standing = toStanding(reading, shares[at] ?? null, reserved[at] ?? null);
      const rendition = standing && this.isFree(reading) && this.steps[reading.quadrant].next(standing);
      if (rendition) void this.replace(reading, rendition);
    }
  }

  private read(sample: QualitySample): Reading | null {
    const { quadrant } = sample;
    const known = this.host.read(quadrant);
    if (!known || known.video.id !== sample.videoId) return null;
    const { droppedPercent, hasPlayed } = this.frames[quadrant].add(sample);
    const isDry = hasPlayed && sample.stalls > 0;
    return { ...known, quadrant, size: playerOf(quadrant).size, savesData: savesData(), droppedPercent, isDry };
  }

  /** Otherwise its seconds do not count. */
  private isFree({ isFree, quadrant, isDry }: Reading): boolean {
    const isTrying = Math.abs(now() - this.triedAt[quadrant]) < betweenTriesMs;
    return isFree && !isTrying && mayReplace(quadrant, isDry);
  }

  private async replace({ quadrant, video, isDry, isExpanded }: Reading, quality: Rendition): Promise<void> {
    this.triedAt[quadrant] = now();
    const body = { path: video.path, quadrant, quality };
    // What cannot be had now is asked for later.
    const reply = await call(resolveVideoUrl, { body, limitSeconds: limits.pickTimeoutSeconds }).catch(() => null);
    const isSame = this.host.read(quadrant)?.video.url === video.url;
    if (!reply || reply.rendition === video.rendition || !isSame || !mayReplace(quadrant, isDry)) return;
    const player = playerOf(quadrant);
    player.replaceSource(reply.url, {
      at: player.position + (isDry ? 0 : expectedLoadSeconds),
      meet: meetFront,
      // The others are covered: one of them lends its decoder for a moment.
      priority: isExpanded ? 'modal' : 'quadrant',
      shown: () => {
        this.triedAt[quadrant] = Number.NEGATIVE_INFINITY;
        this.frames[quadrant].restart();
        this.steps[quadrant].commit();
        this.host.replaced(quadrant, { ...video, url: reply.url, rendition: reply.rendition });
      },
    });
  }
}

function shareOut(total: number | null, readings: readonly Reading[]): (number | null)[] {
  return total === null ? readings.map(() => null) : shareKbps(total, readings.map(toSharer));
}

/** Its time moves, or lacks data alone; and there is enough of it left. */
function mayReplace(quadrant: Quadrant, isDry: boolean): boolean {
  const player = playerOf(quadrant);
  return (isDry || player.progress() !== null) && player.duration - player.position > minRemainingSeconds;
}
