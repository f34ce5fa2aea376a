import type { FirstPicks } from '#contract/entities/feed.ts';
import { firstVideosId, serverAway } from '#contract/first-videos.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { pickFirstVideos } from '#contract/start.ts';
import { after } from '#device/timers.ts';
import { hasFrameCallback, savesData } from '../platform/capabilities.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { fetchAnswer, parseJson } from '../platform/http/fetch-answer.ts';
import { refreshToken } from '../platform/http/token-store.ts';
import { isVenueClosed, readLearned } from '../playback/learned-device.ts';
import { addressOf, createVideo, pointTo, releaseVideo } from '../playback/player/video-element.ts';
import type { SavedFilters } from '../state/saved-filters.ts';
import { readSavedFilters } from '../state/saved-filters.ts';
import type { PicksRequest, StartHandover, StartVideos } from './handover.ts';
import { fetchPageFiles, StartGrid } from './page-parts.ts';

/**
 * The engine's files compete with the first frames for connections and processors, so they are
 * fetched after them. When frames take longer than this, the network is the limit, and both load in
 * parallel.
 */
const engineFilesWithinMs = 400;
/**
 * Running the engine blocks the main thread: a tap within this time after the first frames is
 * handled first.
 */
const restMs = 150;
const restAfterTapMs = 250;

/**
 * Shows the first frames of four videos, and plays them after a tap, until the engine takes over. A
 * hidden page plays nothing.
 */
export class PageStart {
  /**
   * Resolves a short time after all frames that the page can show by itself are drawn, or when it
   * can show none.
   */
  readonly shown: Promise<unknown>;
  private picks: PicksRequest;
  /** Null after the handover: from then on the page changes nothing. */
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

  /** To be called by the next owner of the page. Elements and grid are handed over once. */
  handOver(): StartHandover {
    const { picks, videos, grid, isTapped } = this;
    this.videos = null;
    this.grid = null;
    return { picks, videos: videos ?? {}, grid, isTapped };
  }

  /**
   * Resolves when each video has a frame; to null when none is shown. Storage is read after the
   * sources are set, because reading it blocks the main thread. If it holds filters, the picks made
   * for everybody are requested again with these filters.
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
   * Waits until the document is parsed: nothing is painted before the style sheets are loaded, and
   * elements that the parser adds to the body would cover the grid.
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
 * Returns each video once. When there are fewer than four, the engine starts the same one at
 * another position in the remaining quadrants.
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
  pointTo(video, url, addressOf(url));
  return video;
}

function firstFrame(video: HTMLVideoElement): Promise<unknown> {
  return new Promise((resolve) => {
    video.onerror = resolve;
    if (hasFrameCallback(video)) video.requestVideoFrameCallback(resolve);
    else video.onloadeddata = resolve;
  });
}

/**
 * The engine repeats the call, or plays the same element, and reports the failure. Without the
 * server it plays what this device keeps.
 */
function leaveToEngine(): void {
  fetchPageFiles('saved-files');
}

/**
 * Returns the picks for everybody that the server or the service worker put into the page, or else
 * requests picks. When the worker has just found no server, it is not asked again; a closed venue
 * asks for nothing.
 */
function claimPicks(): PicksRequest {
  const text = document.getElementById(firstVideosId)?.textContent;
  if (!text && !isVenueClosed()) return requestPicks();
  if (!text || text === serverAway)
    return { answer: Promise.reject(new TypeError(serverAway)), filters: readSavedFilters(), abort: () => {} };
  const answer = { status: 200, ok: true, json: parseJson(text) } as Answer<FirstPicks | null>;
  return { answer: Promise.resolve(answer), filters: null, abort: () => {} };
}

/** Requests picks with the filters of this device. */
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
 * The first two mean that the picks are for someone else. With too few decoders the picks are
 * valid, but not all four videos can be shown at once. A closed venue shows nothing.
 */
type StartObstacle = 'signed-in' | 'saved-filters' | 'few-at-once' | 'closed';

/** Why the page must not show the four picked videos; null when it may. */
function startObstacle({ filters }: PicksRequest): StartObstacle | null {
  if (isVenueClosed()) return 'closed';
  if (refreshToken() !== null) return 'signed-in';
  if (!filters && Object.keys(readSavedFilters()).length > 0) return 'saved-filters';
  return readLearned('decoders') === null && !savesData() ? null : 'few-at-once';
}
