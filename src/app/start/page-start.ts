import type { FirstPicks } from '#contract/entities/feed.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { pickFirstVideos } from '#contract/start-endpoints.ts';
import { hasFrameCallback } from '../platform/capabilities.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { fetchAnswer, parseJson } from '../platform/http/fetch-answer.ts';
import { refreshToken } from '../platform/http/token-store.ts';
import { after } from '../platform/timers.ts';
import { readLearned } from '../playback/learned-device.ts';
import { addressOf, createVideo, releaseVideo } from '../playback/player/video-element.ts';
import type { SavedFilters } from '../state/saved-filters.ts';
import { readSavedFilters } from '../state/saved-filters.ts';
import type { PicksRequest, StartHandover, StartVideos } from './handover.ts';
import { fetchPageFiles, StartGrid } from './page-parts.ts';

/**
 * The engine's files share connections and processors with the first frames, so they are fetched after them. Where
 * frames take longer than this, the network is what is slow, and both come side by side.
 */
const engineFilesWithinMs = 400;
/** Running the engine blocks the main thread: a tap within this time after the first frames is answered before that. */
const restMs = 150;
const restAfterTapMs = 250;

/**
 * Shows the first frames of four videos, and plays them at a tap, until the engine takes over. A hidden page plays
 * nothing.
 */
export class PageStart {
  /** Resolves some time after every frame is drawn that the page can draw by itself, or when it can draw none. */
  readonly shown: Promise<unknown>;
  private picks: PicksRequest;
  /** Null once they are handed over: from then on the page changes nothing. */
  private videos: StartVideos | null = {};
  private grid: StartGrid | null = null;
  private isTapped = false;
  private endRest = (_ms: number) => {};

  constructor() {
    this.picks = claimPicks();
    document.addEventListener('visibilitychange', () => this.matchPlayback());
    this.shown = this.startVideos()
      .catch(leaveToEngine)
      .then((frames) => {
        fetchPageFiles('engine-files');
        return frames ? this.rest() : undefined;
      });
    after(engineFilesWithinMs, () => fetchPageFiles('engine-files'));
  }

  /** To be called by whoever shows the page from then on. Elements and grid are given away once. */
  handOver(): StartHandover {
    const { picks, videos, grid, isTapped } = this;
    this.videos = null;
    this.grid = null;
    return { picks, videos: videos ?? {}, grid, isTapped };
  }

  /**
   * Resolves when each has a frame, to nothing where none is shown. Storage is read after the sources are set: reading
   * it blocks the main thread. The draw for everybody is made again under filters that are found there.
   */
  private async startVideos(): Promise<unknown> {
    const answer = await this.picks.answer;
    const { videos } = this;
    if (!answer.ok || !answer.json || !videos) return null;
    for (const [quadrant, url] of uniqueUrls(answer.json)) videos[quadrant] = startVideo(url);
    const started = Object.values(videos);
    const obstacle = startObstacle(this.picks);
    if (obstacle === null) {
      requestAnimationFrame(() => this.drawGrid());
      return Promise.all(started.map(firstFrame));
    }
    started.forEach(releaseVideo);
    this.videos = {};
    if (obstacle !== 'saved-filters') return null;
    this.picks = requestPicks();
    return this.startVideos();
  }

  /**
   * Nothing is painted before the style sheets are there. What the parser still adds to the body would cover the grid.
   */
  private drawGrid(): void {
    const { videos } = this;
    if (!videos) return;
    if (document.readyState === 'loading') {
      requestAnimationFrame(() => this.drawGrid());
      return;
    }
    const grid = new StartGrid(() => this.playAll());
    for (const quadrant of quadrants) grid.hosts[quadrant].append(...(videos[quadrant] ? [videos[quadrant]] : []));
    this.grid = grid;
  }

  private rest(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(restMs, resolve);
      this.endRest = (ms) => {
        cancel();
        after(ms, resolve);
      };
    });
  }

  private playAll(): void {
    this.isTapped = true;
    this.endRest(restAfterTapMs);
    this.matchPlayback();
  }

  private matchPlayback(): void {
    for (const video of Object.values(this.videos ?? {})) {
      if (document.hidden) video.pause();
      else if (this.isTapped) video.play().catch(leaveToEngine);
    }
  }
}

/**
 * Where there are fewer than four videos, the engine starts the same one at another position in the quadrants after the
 * first.
 */
function uniqueUrls(picks: FirstPicks): [Quadrant, string][] {
  const urls = quadrants.map((quadrant) => picks[quadrant]?.url);
  const unique: [Quadrant, string][] = [];
  quadrants.forEach((quadrant, at) => {
    const url = urls[at];
    if (url && urls.indexOf(url) === at) unique.push([quadrant, url]);
  });
  return unique;
}

function startVideo(url: string): HTMLVideoElement {
  const video = createVideo();
  video.src = addressOf(url);
  return video;
}

function firstFrame(video: HTMLVideoElement): Promise<unknown> {
  return new Promise((resolve) => {
    video.onerror = resolve;
    if (hasFrameCallback(video)) video.requestVideoFrameCallback(resolve);
    else video.onloadeddata = resolve;
  });
}

/** The engine makes the same call, or plays the same element, and reports what failed. */
function leaveToEngine(): void {}

/** The picks that the server or the worker put into the page, for everybody; else a request for them. */
function claimPicks(): PicksRequest {
  const text = document.getElementById(firstVideosId)?.textContent;
  if (!text) return requestPicks();
  const answer = { status: 200, ok: true, json: parseJson(text) } as Answer<FirstPicks | null>;
  return { answer: Promise.resolve(answer), filters: null, abort: () => {} };
}

/** Under the filters of this device. */
function requestPicks(): PicksRequest {
  const request = new AbortController();
  const filters = readSavedFilters();
  const outgoing = { method: 'GET', address: addressFor(filters), signal: request.signal } as const;
  return { answer: fetchAnswer<FirstPicks | null>(outgoing, null), filters, abort: () => request.abort() };
}

function addressFor(filters: SavedFilters): string {
  let query = '';
  for (const quadrant of quadrants) {
    const own = filters[quadrant];
    if (own)
      query += `&${quadrant}=${encodeURIComponent(joinIds(own.selectedTags))}&${quadrant}-mode=${own.filterMode}`;
  }
  return pickFirstVideos.path + query.replace('&', '?');
}

/**
 * The first two make the draw somebody else's; with too few decoders the draw holds, and not all four can be shown at
 * once.
 */
type StartObstacle = 'signed-in' | 'saved-filters' | 'few-decoders';

/** Why the page must not show the four videos of a draw; null: it may. */
function startObstacle({ filters }: PicksRequest): StartObstacle | null {
  if (refreshToken() !== null) return 'signed-in';
  if (!filters && Object.keys(readSavedFilters()).length > 0) return 'saved-filters';
  return readLearned('decoders') === null ? null : 'few-decoders';
}
