import type { MediaBudget } from '#app/playback/media-budget.ts';
import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { SavedBytes } from '#device/saved/saved-bytes.ts';
import type { SavedStore } from '#device/saved/saved-store.ts';
import type { SavedReason, SavedVideo } from '#device/saved/saved-video.ts';
import { isToBeFetched, lacksExtras } from '#device/saved/saved-video.ts';
import { atNext, msUntil, now } from '#device/timers.ts';
import { Backoff } from './backoff.ts';

/** The address of a file, or why the viewer cannot have one. */
export type SavedAddress =
  | { kind: 'found'; url: string; rendition: Rendition; version: string; audioTrack?: number | undefined }
  | { kind: 'refused'; reason: 'gone' | 'plan' }
  /** The site makes a smaller file first. `progress`: 0 to 100. */
  | { kind: 'encoding'; progress: number }
  /** The server does not answer now, or the viewer's session has ended. */
  | { kind: 'away' };

/** One piece of a file as the server sent it. `refused`: the address is no longer good. */
export type PieceAnswer =
  | { kind: 'piece'; piece: Blob; total: number; type: string }
  | { kind: 'refused' }
  | { kind: 'away' };

interface SaveEngineDeps {
  userId: string;
  store: Pick<SavedStore, 'list' | 'change' | 'listRowless'>;
  bytes: Pick<SavedBytes, 'write' | 'remove' | 'measure'>;
  budget: Pick<MediaBudget, 'request'>;
  /** The fields of a reply are those of the row's rendition, or of what the server has in its place. */
  findAddress(video: SavedVideo, signal: AbortSignal): Promise<SavedAddress>;
  /** @param end exclusive */
  fetchPiece(url: string, start: number, end: number, signal: AbortSignal): Promise<PieceAnswer>;
  /**
   * Fetches what is kept beside the bytes: poster, storyboard, subtitles. It never fails; what a busy
   * server does not give is fetched once more when the bytes are whole (`lacksExtras`).
   */
  fetchExtras(video: SavedVideo, signal: AbortSignal): Promise<Partial<SavedVideo>>;
  /** Whether the rest of the video fits into the chosen space and the device. */
  hasRoom(video: SavedVideo): Promise<boolean>;
  /** Whether a video may be fetched over the current link. */
  mayFetch(video: SavedVideo): boolean;
  /** Whether an address of this time can still be used. */
  canStart(url: string): boolean;
  /** Called after each change of a row. */
  onChange(): void;
  /** Called when a request got no answer. */
  onUnanswered(): void;
  chance(): number;
}

/** How fetching a video has ended for now. */
type End = 'whole' | 'incomplete' | 'stopped' | 'away' | 'no-room' | 'encoding' | { failed: SavedReason };

/** How often the site is asked whether a smaller file is made. */
const encodingAskMs = 5_000;

/** How often a page asks again for what is kept beside the bytes. */
const maxExtrasTries = 8;

/** Tries in a row of an address that the server gives and then refuses. */
const maxRefusals = 3;

/**
 * Fetches the videos that one viewer keeps: one at a time, the one with the fewest bytes left
 * first, piece by piece, while a connection is free. What a closed page leaves is whole pieces, and
 * the next page goes on behind them.
 */
export class SaveEngine {
  private readonly deps: SaveEngineDeps;
  private readonly backoffs = new Map<string, Backoff>();
  private readonly addresses = new Map<string, string>();
  /** How often what is kept beside the bytes was asked for again. */
  private readonly extrasTries = new Map<string, number>();
  /** Videos of which a smaller file is being made: how far it is, and when it is asked for again. */
  private readonly encodings = new Map<string, { progress: number; askAt: number }>();
  private active: { id: string; abort: AbortController } | null = null;
  private isPlanning = false;
  private isStale = false;
  private isStopped = false;
  private cancelTimer = () => {};

  constructor(deps: SaveEngineDeps) {
    this.deps = deps;
  }

  /** The video that is being fetched. */
  get activeId(): string | null {
    return this.active?.id ?? null;
  }

  /** Lists how far the smaller files are that the site makes: 0 to 100, by id. */
  listEncodings(): Record<string, number> {
    return Object.fromEntries([...this.encodings].map(([id, { progress }]) => [id, progress]));
  }

  /** Reads the rows, and fetches the next video. To be called after each change of them. */
  async plan(): Promise<void> {
    this.isStale = true;
    if (this.isPlanning) return;
    this.isPlanning = true;
    try {
      while (this.isStale && !this.isStopped) {
        this.isStale = false;
        await this.planOnce();
      }
    } finally {
      this.isPlanning = false;
    }
  }

  /** Ends the waits between attempts: the network or the session may be back. */
  hurry(): void {
    for (const backoff of this.backoffs.values()) backoff.hurry();
    void this.plan();
  }

  stop(): void {
    this.isStopped = true;
    this.cancelTimer();
    this.active?.abort.abort();
  }

  private async planOnce(): Promise<void> {
    // A store that cannot be read is read again at the next change.
    const videos = await this.deps.store.list(this.deps.userId).catch(() => []);
    if (this.isStopped) return;
    const isWanted = (video: SavedVideo) => isToBeFetched(video) || this.asksForExtras(video);
    const wanted = videos.filter((video) => isWanted(video) && this.deps.mayFetch(video));
    if (this.active && !wanted.some(({ id }) => id === this.active?.id)) this.active.abort.abort();
    for (const id of this.backoffs.keys()) if (!videos.some((video) => video.id === id)) this.backoffs.delete(id);
    for (const id of this.encodings.keys()) if (!wanted.some((video) => video.id === id)) this.encodings.delete(id);
    this.planTimer();
    const [next] = this.active ? [] : wanted.filter(({ id }) => !this.isWaiting(id)).sort(byBytesLeft);
    if (next) void this.run(next);
  }

  private async run(video: SavedVideo): Promise<void> {
    const { id } = video;
    const abort = new AbortController();
    this.active = { id, abort };
    let end: End;
    try {
      end = await (video.state === 'whole' ? this.addExtras(video, abort.signal) : this.save(video, abort.signal));
    } catch (error) {
      end = isFull(error) ? 'no-room' : 'away';
    }
    // The row is settled before another one begins, so that it is not read as being saved.
    if (!this.isStopped) await this.settle(id, abort.signal.aborted ? 'stopped' : end).catch(() => {});
    this.active = null;
    if (this.isStopped) return;
    this.deps.onChange();
    void this.plan();
  }

  private async settle(id: string, end: End): Promise<void> {
    if (end === 'away' || end === 'incomplete') this.backoffOf(id).fail();
    else this.backoffs.delete(id);
    if (end === 'away') this.deps.onUnanswered();
    if (end !== 'encoding') this.encodings.delete(id);
    await this.change(id, (row) => {
      if (row.state !== 'saving') return null;
      if (end === 'encoding') return afterEncodingAnswer(row);
      if (end === 'no-room') return { state: 'paused', reason: 'no-room' };
      if (typeof end === 'object') return { state: 'failed', reason: end.failed };
      return { state: end === 'whole' ? 'whole' : 'waiting' };
    });
  }

  private async save(video: SavedVideo, signal: AbortSignal): Promise<End> {
    let row = await this.begin(video);
    let isPrepared = false;
    for (let refusals = 0; row && !signal.aborted; ) {
      if (row.savedBytes > 0 && row.savedBytes === row.size) return 'whole';
      const place = await this.locate(row, signal);
      if (typeof place === 'string' || 'failed' in place) return place;
      if (!isPrepared && !(await this.prepare(place.row, signal))) return 'no-room';
      isPrepared = true;
      const { savedBytes: start, size } = place.row;
      const answer = await this.fetchNext(place.row, place.url, signal);
      // A store refuses without CORS headers, which looks as if nobody had answered.
      if (answer.kind !== 'piece') this.addresses.delete(row.id);
      if (signal.aborted || answer.kind === 'away') return 'away';
      if (answer.kind === 'refused') {
        refusals += 1;
        if (refusals === maxRefusals) return 'away';
        continue;
      }
      if (answer.total > limits.savedFileBytes) return { failed: 'too-large' };
      // The version names the bytes: a file of another length is not that file.
      if (start > 0 && answer.total !== size) return 'away';
      if (answer.total > size && !(await this.hasRoomFor(video.id, answer.total))) return 'no-room';
      row = await this.store(video.id, start, answer);
      this.backoffs.delete(video.id);
      refusals = 0;
    }
    return 'stopped';
  }

  private async hasRoomFor(id: string, size: number): Promise<boolean> {
    const row = await this.change(id, () => ({ size }));
    return row === null || this.deps.hasRoom(row);
  }

  /**
   * Stores a piece, and then that it is there.
   * @returns null when the viewer has removed the video, or when its row cannot be read any more: a
   * newer build in another tab goes on behind the bytes
   */
  private async store(
    id: string,
    start: number,
    { piece, total, type }: Extract<PieceAnswer, { kind: 'piece' }>,
  ): Promise<SavedVideo | null> {
    await this.deps.bytes.write(id, start / limits.savedPieceBytes, piece);
    const row = await this.change(id, () => ({ savedBytes: start + piece.size, size: total, type }));
    const removed = row ? [] : await this.deps.store.listRowless([id]);
    for (const gone of removed) await this.deps.bytes.remove(gone);
    return row;
  }

  /** Counts the bytes that are really there. */
  private async begin(video: SavedVideo): Promise<SavedVideo | null> {
    const savedBytes = video.savedBytes === 0 ? 0 : await this.deps.bytes.measure(video);
    return this.change(video.id, () => ({ state: 'saving', reason: null, savedBytes }));
  }

  /** Looks for room before the first piece, and fetches what is kept beside the bytes. */
  private async prepare(video: SavedVideo, signal: AbortSignal): Promise<boolean> {
    if (!(await this.deps.hasRoom(video))) return false;
    if (video.savedBytes > 0) return true;
    const extras = await this.deps.fetchExtras(video, signal);
    await this.change(video.id, () => extras);
    return true;
  }

  private asksForExtras(video: SavedVideo): boolean {
    return lacksExtras(video) && (this.extrasTries.get(video.id) ?? 0) < maxExtrasTries;
  }

  /** The video plays meanwhile. */
  private async addExtras(video: SavedVideo, signal: AbortSignal): Promise<End> {
    const { id } = video;
    this.extrasTries.set(id, (this.extrasTries.get(id) ?? 0) + 1);
    const extras = await this.deps.fetchExtras(video, signal);
    if (!signal.aborted) await this.change(id, () => extras);
    return extras.hasExtras ? 'whole' : 'incomplete';
  }

  /** The address of a file. Another version, or another file in its place, begins anew. */
  private async locate(video: SavedVideo, signal: AbortSignal): Promise<{ row: SavedVideo; url: string } | End> {
    const known = this.addresses.get(video.id);
    if (known !== undefined && this.deps.canStart(known)) return { row: video, url: known };
    const found = await this.deps.findAddress(video, signal);
    if (signal.aborted || found.kind === 'away') return 'away';
    if (found.kind === 'refused') return { failed: found.reason };
    if (found.kind === 'encoding') {
      this.encodings.set(video.id, { progress: found.progress, askAt: now() + encodingAskMs });
      return 'encoding';
    }
    const { url, version, rendition, audioTrack } = found;
    if (video.rendition === 'hd' && rendition !== 'hd') return { failed: 'plan' };
    this.addresses.set(video.id, url);
    if (version === video.version && rendition === video.rendition) return { row: video, url };
    await this.deps.bytes.remove(video.id);
    // The size of another file is known with its first piece.
    const size = rendition === video.rendition ? video.size : 0;
    const row = await this.change(video.id, () => ({ version, rendition, audioTrack, size, savedBytes: 0 }));
    return row ? { row, url } : 'stopped';
  }

  /** Fetches the next piece while a connection is free; a quadrant that needs it ends the request. */
  private fetchNext(video: SavedVideo, url: string, signal: AbortSignal): Promise<PieceAnswer> {
    const { budget, fetchPiece } = this.deps;
    const { savedBytes: start, size } = video;
    const whole = start + limits.savedPieceBytes;
    // The row has the size that a list said until the first answer: it may be that of another
    // version.
    const end = start > 0 ? Math.min(whole, size) : whole;
    return new Promise((resolve, reject) => {
      let own = new AbortController();
      const begin = () => {
        own = new AbortController();
        const { signal: inner } = own;
        fetchPiece(url, start, end, inner).then(
          (answer) => {
            // A revoked lease waits for its next turn.
            if (!inner.aborted || signal.aborted) finish(() => resolve(answer));
          },
          (error: unknown) => finish(() => reject(error)),
        );
      };
      const lease = budget.request({
        needs: ['connection'],
        priority: 'ahead',
        granted: begin,
        revoked: () => own.abort(),
      });
      const stop = () => {
        own.abort();
        finish(() => resolve({ kind: 'away' }));
      };
      signal.addEventListener('abort', stop);
      function finish(settle: () => void): void {
        signal.removeEventListener('abort', stop);
        lease.release();
        settle();
      }
      if (signal.aborted) stop();
      else if (lease.isHeld) begin();
    });
  }

  private async change(
    id: string,
    change: (row: SavedVideo) => Partial<SavedVideo> | null,
  ): Promise<SavedVideo | null> {
    const row = await this.deps.store.change(id, change);
    this.deps.onChange();
    return row;
  }

  private isWaiting(id: string): boolean {
    return this.backoffs.get(id)?.isWaiting() === true || msUntil(this.encodings.get(id)?.askAt ?? 0) > 0;
  }

  private backoffOf(id: string): Backoff {
    const known = this.backoffs.get(id) ?? new Backoff(this.deps.chance);
    this.backoffs.set(id, known);
    return known;
  }

  private planTimer(): void {
    this.cancelTimer();
    const waits = [...this.backoffs.values()].map(({ waitUntil }) => waitUntil);
    const asks = [...this.encodings.values()].map(({ askAt }) => askAt);
    this.cancelTimer = atNext([...waits, ...asks], () => void this.plan());
  }
}

/** A video waits for its smaller file for `savedEncodingMinutes`; then the viewer decides. */
function afterEncodingAnswer({ encodedSince }: SavedVideo): Partial<SavedVideo> {
  const since = encodedSince ?? now();
  // A clock that was set back does not prolong the wait.
  return Math.abs(now() - since) < limits.savedEncodingMinutes * 60_000
    ? { state: 'waiting', encodedSince: since }
    : { state: 'paused', reason: 'not-smaller' };
}

function byBytesLeft(one: SavedVideo, other: SavedVideo): number {
  return one.size - one.savedBytes - (other.size - other.savedBytes) || one.savedAt - other.savedAt;
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'QuotaExceededError';
}
