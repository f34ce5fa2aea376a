import { vi } from 'vitest';
import type { Quadrant } from '#contract/quadrants.ts';

export interface Ask {
  quadrant: Quadrant;
  /** The filter: its tags, and its mode where it has some. */
  tags: string;
  mode: string | null;
  exclude: string[];
  width: number;
  isAborted(): boolean;
  /** Neither answered nor aborted. */
  isOpen(): boolean;
}

export type PickAnswer = { status?: number; json: unknown } | 'away';

export function picked(id: string, matching: number, duration = 60, ...tagIds: string[]) {
  return {
    available: true,
    message: null,
    id,
    filename: `${id}.mp4`,
    url: `/stream/${id}`,
    duration,
    poster_url: `/posters/${id}`,
    tags: tagIds.map((tagId) => ({ id: tagId, name: tagId, color: '#112233' })),
    matching,
  };
}

export const notYet = {
  available: false,
  message: 'On its way',
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
  /** Goes before the library's own answer. */
  answer: ((ask: Ask) => PickAnswer | undefined) | null = null;
  #held: Array<() => void> | null = null;

  constructor(...videos: string[]) {
    this.videos = videos;
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

  async #reply(address: string, { signal }: RequestInit): Promise<Response> {
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    if (pathname === '/api/status') return responseOf({ json: this.#count() });
    if (pathname === '/api/videos/hidden') return responseOf(this.#tellHidden(searchParams.get('ids') ?? ''));
    let isAnswered = false;
    const ask: Ask = {
      quadrant: pathname.split('/').pop() as Quadrant,
      tags: searchParams.get('tag_ids') ?? '',
      mode: searchParams.get('filter_mode'),
      exclude: (searchParams.get('exclude') ?? '').split(',').filter(Boolean),
      width: Number(searchParams.get('width')),
      isAborted: () => signal?.aborted === true,
      isOpen: () => !isAnswered && signal?.aborted !== true,
    };
    this.asks.push(ask);
    if (this.#held) await new Promise<void>((resolve) => this.#held?.push(resolve));
    isAnswered = true;
    if (ask.isAborted()) throw new DOMException('The operation was aborted.', 'AbortError');
    return responseOf(this.answer?.(ask) ?? this.#pick(ask));
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

  #pick({ exclude }: Ask): PickAnswer {
    const id = this.videos.find((video) => !exclude.includes(video)) ?? this.videos[0];
    return id === undefined ? noneAtAll : { json: picked(id, this.videos.length) };
  }
}

function responseOf(answer: PickAnswer): Response {
  if (answer === 'away') throw new TypeError('Failed to fetch');
  return new Response(JSON.stringify(answer.json), { status: answer.status ?? 200 });
}
