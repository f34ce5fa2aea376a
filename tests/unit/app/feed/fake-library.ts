import { vi } from 'vitest';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import type { VideoUrl } from '#contract/entities/feed.ts';
import type { SubtitleList } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { matchesFilter } from '#contract/rules/tag-filter.ts';

export interface Ask {
  quadrant: Quadrant;
  /** The filter: its tags, and its mode where it has some. */
  tags: string;
  mode: string | null;
  exclude: string[];
  width: number;
  /** What else an encoding is chosen by, as it was sent. */
  demand: Record<'width' | 'height' | 'kbps' | 'saves', string | null>;
  tagIds: string[];
  filterMode: string | null;
  isAborted(): boolean;
  /** Neither answered nor aborted. */
  isOpen(): boolean;
}

export type PickAnswer = { status?: number; json: unknown } | 'away';

export type FakeChannel = ReturnType<typeof channel>;

export function channel(name: string, video_count = 1) {
  return {
    id: `id-${name.toLowerCase()}`,
    name,
    description: '',
    color: '#3B82F6',
    video_count,
    active: true,
    aliases: [],
  };
}

export function picked(id: string, matching: number, duration = 60, ...tagIds: string[]) {
  return {
    available: true,
    message: null,
    id,
    path: `${id}.mp4`,
    filename: `${id}.mp4`,
    title: `${id}.mp4`,
    url: `/stream/${id}`,
    duration,
    poster_url: `/posters/${id}`,
    tags: tagIds.map((tag) => ({ id: tag, name: tag, color: '#3B82F6' })),
    width: 1920,
    height: 1080,
    rendition: 'source',
    renditions: [],
    storyboard: null,
    matching,
  };
}

/** A video that matches is being made playable. */
export const notYet = {
  available: false,
  message: 'On its way',
  processing: { state: 'running', progress: 40 },
  id: null,
  path: null,
  filename: null,
  url: null,
  matching: 0,
};

export const noneAtAll: PickAnswer = {
  status: 404,
  json: { error: 'no_videos_available', message: 'There are no videos' },
};

/**
 * A server's pick and count over a few videos: the first one that is not excluded, or the first one when all are.
 * Nothing is sent.
 */
export class FakeLibrary {
  readonly asks: Ask[] = [];
  videos: string[];
  /** What an administrator has hidden. */
  hidden: string[] = [];
  /** The ids of each question about hidden videos. */
  readonly hiddenAsks: string[][] = [];
  /** Such a question is not answered. */
  isHiddenSilent = false;
  /** Ids of tags by video. Without any, filters leave nothing out. */
  taggings: Record<string, readonly string[]> = {};
  /** What `GET /api/tags` lists. 'away': the network is; 'failing': the server answers with 500. */
  channels: readonly FakeChannel[] | 'away' | 'failing' = [];
  /** The worker answers for the server with a list of this time, in epoch milliseconds. */
  channelsCachedAt: number | null = null;
  /** What channels were merged into, by id. */
  readonly merged: Record<string, string> = {};
  /** Questions for channels: what was searched for. */
  readonly searches: string[] = [];
  /** Of each video that has some. */
  subtitles: Record<string, SubtitleList | 'away' | 'failing'> = {};
  /** Tracks, by their addresses. */
  texts: Record<string, string> = {};
  /** Ids of the videos whose subtitles were asked for. */
  readonly subtitleAsks: string[] = [];
  /** What questions for another address of a video are answered, in this order, and their bodies. */
  addresses: VideoUrl[] = [];
  readonly addressAsks: unknown[] = [];
  /** The favourites of whoever is signed in, and the calls that changed them. */
  favourites: string[] = [];
  readonly favouriteCalls: string[] = [];
  /** Goes before the library's own answer. */
  answer: ((ask: Ask) => PickAnswer | undefined) | null = null;
  #held: Array<() => void> | null = null;

  constructor(...videos: string[]) {
    this.videos = videos;
    // Nothing is kept on this device.
    savedNotice.playable = 0;
    vi.stubGlobal('fetch', (address: string, options: RequestInit) => this.#reply(address, options));
  }

  asksOf(quadrant: Quadrant): Ask[] {
    return this.asks.filter((ask) => ask.quadrant === quadrant);
  }

  /** Replies wait until `letGo`. */
  hold(): void {
    this.#held ??= [];
  }

  /** What is held is never answered; replies to what is asked from now on come at once. */
  release(): void {
    this.#held = null;
  }

  letGo(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const reply of held) reply();
  }

  async #reply(address: string, { signal, headers, body, method = 'GET' }: RequestInit): Promise<Response> {
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    // Whether the server is there: it sends one byte of the video.
    if (new Headers(headers).get('range') === 'bytes=0-0')
      return new Response('0', { status: 206, headers: { 'content-type': 'video/mp4' } });
    if (pathname === '/api/status') return responseOf({ json: this.#count() });
    if (pathname === '/api/videos/hidden') return responseOf(this.#tellHidden(searchParams.get('ids') ?? ''));
    if (pathname === '/api/favourites') return responseOf({ json: { ids: this.favourites } });
    if (pathname.startsWith('/api/favourites/')) {
      this.favouriteCalls.push(`${method} ${pathname.split('/').pop()}`);
      return new Response(null, { status: 204 });
    }
    if (pathname === '/api/optimization/video-url' && this.addresses.length > 0) {
      this.addressAsks.push(JSON.parse(String(body)));
      return responseOf({ json: this.addresses.shift() });
    }
    if (pathname === '/api/tags') return responseOf(this.#list(searchParams), this.channelsCachedAt);
    if (pathname.startsWith('/api/tags/')) return responseOf(this.#channel(pathname.slice('/api/tags/'.length)));
    const [, subtitled] = /^\/api\/videos\/(.+)\/subtitles$/.exec(pathname) ?? [];
    if (subtitled !== undefined) return responseOf(this.#listSubtitles(subtitled));
    const text = this.texts[address];
    if (text !== undefined) return new Response(text);
    let isAnswered = false;
    const ask: Ask = {
      quadrant: pathname.split('/').pop() as Quadrant,
      tags: searchParams.get('tag_ids') ?? '',
      mode: searchParams.get('filter_mode'),
      exclude: (searchParams.get('exclude') ?? '').split(',').filter(Boolean),
      width: Number(searchParams.get('width')),
      demand: {
        width: searchParams.get('width'),
        height: searchParams.get('height'),
        kbps: searchParams.get('kbps'),
        saves: searchParams.get('saves'),
      },
      tagIds: (searchParams.get('tag_ids') ?? '').split(',').filter(Boolean),
      filterMode: searchParams.get('filter_mode'),
      isAborted: () => signal?.aborted === true,
      isOpen: () => !isAnswered && signal?.aborted !== true,
    };
    // Bytes, lists and the question whether the server is there are no picks.
    if (pathname.startsWith('/api/video/')) this.asks.push(ask);
    if (this.#held) await new Promise<void>((resolve) => this.#held?.push(resolve));
    isAnswered = true;
    if (ask.isAborted()) throw new DOMException('The operation was aborted.', 'AbortError');
    return responseOf(this.answer?.(ask) ?? this.#pick(ask));
  }

  #list(query: URLSearchParams): PickAnswer {
    if (this.channels === 'away') return 'away';
    if (this.channels === 'failing')
      return { status: 500, json: { error: 'internal', message: 'Something went wrong' } };
    const search = (query.get('search') ?? '').toLowerCase();
    this.searches.push(search);
    const ids = query
      .get('ids')
      ?.split(',')
      .map((id) => this.merged[id] ?? id);
    const named = this.channels.filter(({ id }) => ids?.includes(id) ?? true);
    const found = named.filter(({ name }) => name.toLowerCase().includes(search));
    const tags = found.slice(0, Number(query.get('limit') ?? 100));
    return { json: { tags, total: found.length, total_pages: 1, page: 1, limit: 100 } };
  }

  #channel(id: string): PickAnswer {
    const tag = typeof this.channels === 'string' ? undefined : this.channels.find((channel) => channel.id === id);
    return tag ? { json: { tag } } : { status: 404, json: { error: 'not_found', message: 'Not found' } };
  }

  #listSubtitles(id: string): PickAnswer {
    this.subtitleAsks.push(id);
    const list = this.subtitles[id] ?? { tracks: [], audio_tracks: [], unsupported: [], processing: null };
    if (list === 'away') return 'away';
    return list === 'failing'
      ? { status: 500, json: { error: 'internal', message: 'Something went wrong' } }
      : { json: list };
  }

  #count() {
    const ScanningStatus = { FullScanComplete: true, BackgroundScanning: false, InitialScanComplete: true };
    return { TotalVideos: this.videos.length, AvailableVideos: this.videos.length, ScanningStatus };
  }

  #tellHidden(ids: string): PickAnswer {
    this.hiddenAsks.push(ids.split(','));
    if (this.isHiddenSilent) return 'away';
    return { json: { hidden: ids.split(',').filter((id) => this.hidden.includes(id)) } };
  }

  #pick({ exclude, tagIds, filterMode }: Ask): PickAnswer {
    const isTagged = Object.keys(this.taggings).length > 0;
    const filter = { tagIds: isTagged ? tagIds : [], mode: filterMode === 'AND' ? 'AND' : 'OR' } as const;
    const matching = this.videos.filter((video) => matchesFilter(new Set(this.taggings[video]), filter, []));
    const id = matching.find((video) => !exclude.includes(video)) ?? matching[0];
    return id === undefined ? noneAtAll : { json: picked(id, matching.length, 60, ...(this.taggings[id] ?? [])) };
  }
}

function responseOf(answer: PickAnswer, cachedAt: number | null = null): Response {
  if (answer === 'away') throw new TypeError('Failed to fetch');
  return new Response(JSON.stringify(answer.json), {
    status: answer.status ?? 200,
    ...(cachedAt !== null && { headers: { 'X-Cached-At': String(cachedAt) } }),
  });
}
