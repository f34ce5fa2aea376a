import { vi } from 'vitest';
import type { CheckedVideos, Processing } from '#contract/entities/video.ts';
import type { Rendition } from '#contract/rules/rendition.ts';

/** A video of the site, whose file has this many bytes. */
export interface SiteVideo {
  id: string;
  bytes: number;
  version: string;
  tagIds: string[];
  /** Absent: the site does not say. */
  title?: string;
  state: CheckedVideos['videos'][number]['state'];
  createdAt: string;
  /** How far the encoding is that the site makes for who keeps its source; null: it makes none. */
  processing: Processing | null;
  /** How far its German audio track is, which is not the default one; absent: the file has none, null: it is made. */
  german?: Processing | null;
}

/** The site as a device that keeps videos asks it: addresses, bytes, rights and lists. */
export class SavedSite {
  readonly videos = new Map<string, SiteVideo>();
  /** What was asked, as `POST /api/videos/check`, and each range of bytes as `v1 0-9`. */
  readonly asked: string[] = [];
  /** Answers ranges in place of the site: a portal, a cut, another file. */
  interfere: ((start: number, end: number) => Response | null) | null = null;
  isAway = false;
  /** It gets questions, and answers none. */
  isSilent = false;
  /** The share of a read range that the browser's cache no longer has. */
  lostShare = 0;

  constructor() {
    vi.stubGlobal('fetch', (address: string, options: RequestInit = {}) => this.answer(address, options));
  }

  put(id: string, facts: Partial<SiteVideo> = {}): SiteVideo {
    const video: SiteVideo = {
      ...{ id, bytes: 100, version: '1-a', tagIds: [], state: 'fine', processing: null },
      ...{ createdAt: '2026-11-20T00:00:00.000Z', ...facts },
    };
    this.videos.set(id, video);
    return video;
  }

  /** The ranges that were asked for. */
  get ranges(): string[] {
    return this.asked.filter((line) => /^\w+ \d+-\d+$/.test(line));
  }

  private async answer(address: string, { method = 'GET', headers, body, cache }: RequestInit): Promise<Response> {
    if (this.isAway) throw new TypeError('Failed to fetch');
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    if (pathname === '/api/video/stream') return this.answerBytes(address, new Headers(headers), cache);
    this.asked.push(`${method} ${pathname}`);
    if (this.isSilent) return new Promise(() => {});
    const sent = typeof body === 'string' ? JSON.parse(body) : {};
    if (pathname === '/api/optimization/video-url') return this.answerAddress(sent);
    if (pathname.endsWith('/subtitles')) return this.listTracks(pathname.split('/')[3] ?? '');
    if (pathname === '/api/videos/check') return json({ videos: sent.videos.map((one: SiteVideo) => this.check(one)) });
    if (pathname === '/api/videos/by-tags') return this.list(searchParams.get('tag_ids') ?? '');
    return json({ error: 'not_found', message: 'Not found' }, 404);
  }

  private answerAddress({ path, quality, keeps, audio_track: track }: AddressQuestion): Response {
    const video = this.videos.get(path);
    if (!video) return json({ error: 'not_found', message: 'Not found' }, 404);
    const isMade = track === 1 && video.german === null;
    const processing = track === 1 && !isMade ? (video.german ?? null) : keeps ? video.processing : null;
    const rendition = processing && keeps ? 'source' : quality;
    const version = isMade ? `${video.version}-german` : video.version;
    const url = `/api/video/stream?path=${path}&rendition=${rendition}&version=${version}`;
    const audio = isMade ? { audio_track: track } : {};
    return json({ url, rendition, width: null, height: null, bitrate_bps: null, ...audio, processing });
  }

  private listTracks(id: string): Response {
    const tracks = ['en', 'de'].map((language, track) => ({
      track,
      language,
      label: language,
      is_default: track === 0,
    }));
    const hasGerman = this.videos.get(id)?.german !== undefined;
    return json({ tracks: [], audio_tracks: hasGerman ? tracks : [], unsupported: [], processing: null });
  }

  private answerBytes(address: string, headers: Headers, cache?: RequestCache): Response {
    const id = new URL(address, 'http://localhost').searchParams.get('path') ?? '';
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.get('range') ?? '') ?? [];
    this.asked.push(`${id} ${first}-${last}`);
    const { bytes = 0 } = this.videos.get(id) ?? {};
    const [start, end] = [Number(first), Math.min(Number(last) + 1, bytes)];
    if (cache === 'force-cache') FakeTimings.tell(address, Math.round((end - start) * this.lostShare));
    return this.interfere?.(start, end) ?? bytesOf(start, end, bytes);
  }

  private check({ id }: { id: string }): CheckedVideos['videos'][number] {
    const { state = 'gone', tagIds = [], title } = this.videos.get(id) ?? {};
    return { id, state, tag_ids: tagIds, ...(title !== undefined && { path: `moved/${id}`, title }) };
  }

  private list(tagId: string): Response {
    const videos = [...this.videos.values()].filter(({ tagIds }) => tagIds.includes(tagId));
    return json({ videos: videos.map(listed), total: videos.length, total_pages: 1, page: 1, limit: 100 });
  }
}

interface AddressQuestion {
  path: string;
  quality: Rendition;
  keeps?: boolean;
  audio_track?: number;
}

/** A piece as the server sends it. */
export function bytesOf(start: number, end: number, total: number, headers: Record<string, string> = {}): Response {
  return new Response(new Uint8Array(end - start).fill(7), {
    status: 206,
    headers: { 'content-type': 'video/mp4', 'content-range': `bytes ${start}-${end - 1}/${total}`, ...headers },
  });
}

function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
}

function listed({ id, bytes, tagIds, version, createdAt }: SiteVideo) {
  return {
    ...{
      id,
      path: id,
      filename: `${id}.mp4`,
      title: `${id}.mp4`,
      recorded_at: null,
      size: bytes,
      available: true,
      message: null,
      duration: 3_600,
    },
    tags: tagIds.map((tag) => ({ id: tag, name: tag, color: '#fff' })),
    url: `/api/video/stream?path=${id}&rendition=grid&version=${version}`,
    ...{ poster_url: null, storyboard: null, width: 640, height: 360, processing: null, created_at: createdAt },
    renditions: [{ name: 'grid', bytes, width: 640, height: 360 }],
  };
}

type Timing = Pick<PerformanceResourceTiming, 'name' | 'initiatorType' | 'transferSize'>;

/** The browser's resource timing: how many bytes of each request came over the network. */
export class FakeTimings {
  private static readonly observers = new Set<FakeTimings>();
  private readonly hear: (list: { getEntriesByName(name: string): Timing[] }) => void;

  constructor(hear: FakeTimings['hear']) {
    this.hear = hear;
  }

  static tell(address: string, transferSize: number): void {
    const name = new URL(address, 'http://localhost').href;
    const entry: Timing = { name, initiatorType: 'fetch', transferSize };
    for (const observer of FakeTimings.observers)
      observer.hear({ getEntriesByName: (asked) => (asked === name ? [entry] : []) });
  }

  observe(): void {
    FakeTimings.observers.add(this);
  }

  disconnect(): void {
    FakeTimings.observers.delete(this);
  }
}
