import { limits } from '#contract/limits.ts';
import { changesForMs } from './playback-slots.ts';
import type { Sample } from './samples.ts';
import { OpenSlots } from './slots.ts';

/**
 * How long the rows of each slot length are stored, in milliseconds: slightly longer than the
 * windows that read them.
 */
export const videosStoredMs = {
  60: 70 * 60_000,
  3600: (limits.performanceHours + 1) * 3_600_000 + 10 * 60_000,
} as const;
export type VideoSlotSeconds = keyof typeof videosStoredMs;

const videoBounds: Readonly<Record<VideoSlotSeconds, VideoBounds>> = {
  60: { remembered: 2_000, stored: 200 },
  3600: { remembered: 10_000, stored: 500 },
};

/** Stalls, failures and playing time by video, summed in slots of one minute and of one hour. */
export class VideoSlots {
  readonly sizes: Readonly<Record<VideoSlotSeconds, OpenSlots<VideoCounts>>>;

  constructor(nameNode: () => string) {
    const open = (slotSeconds: VideoSlotSeconds) =>
      new OpenSlots({
        slotSeconds,
        changesForMs,
        storedForMs: videosStoredMs[slotSeconds],
        create: () => new VideoCounts(videoBounds[slotSeconds]),
        trim: (counts) => counts.trim(),
        nameNode,
      });
    this.sizes = { 60: open(60), 3600: open(3_600) };
  }

  /** @param playedMs the playing time of all devices that the sample stands for */
  addSample({ at, videoId, stalls, failures }: Sample, playedMs: number): void {
    if (videoId === null) return;
    const sums = { stalls, failures, playedMs };
    for (const slots of Object.values(this.sizes)) slots.at(at).add(videoId, sums);
  }
}

interface VideoBounds {
  /** Videos of one slot in memory, some 150 bytes each. */
  remembered: number;
  /** Rows of one slot in the database. */
  stored: number;
}

/** The videos of one slot of time. Videos with trouble stay when there are too many. */
export class VideoCounts {
  private readonly bounds: VideoBounds;
  private readonly troubled = new Map<string, VideoSums>();
  private readonly quiet = new Map<string, VideoSums>();

  constructor(bounds: VideoBounds) {
    this.bounds = bounds;
  }

  add(id: string, more: VideoSums): void {
    const known = this.troubled.get(id) ?? this.quiet.get(id);
    const isTroubled = this.troubled.has(id) || troubleOf(more) > 0;
    if (known === undefined && !this.makeRoom(isTroubled)) return;
    const sums = known ?? { stalls: 0, failures: 0, playedMs: 0 };
    sums.stalls += more.stalls;
    sums.failures += more.failures;
    sums.playedMs += more.playedMs;
    if (!isTroubled) this.quiet.set(id, sums);
    else {
      this.quiet.delete(id);
      this.troubled.set(id, sums);
    }
  }

  /** The videos that get a row, the worst first. */
  listStored(): [id: string, sums: VideoSums][] {
    const { stored } = this.bounds;
    const troubled = [...this.troubled].sort(([, a], [, b]) => troubleOf(b) - troubleOf(a)).slice(0, stored);
    return [...troubled, ...[...this.quiet].slice(0, stored - troubled.length)];
  }

  /** Frees the videos that get no row. */
  trim(): void {
    const stored = new Set(this.listStored().map(([id]) => id));
    for (const videos of [this.troubled, this.quiet])
      for (const id of videos.keys()) if (!stored.has(id)) videos.delete(id);
  }

  /**
   * Makes room for one more video: one with trouble takes the place of one without. @returns
   * whether there is room
   */
  private makeRoom(isTroubled: boolean): boolean {
    if (this.troubled.size + this.quiet.size < this.bounds.remembered) return true;
    const [first] = this.quiet.keys();
    if (!isTroubled || first === undefined) return false;
    return this.quiet.delete(first);
  }
}

/** The totals of one video. */
export interface VideoSums {
  stalls: number;
  failures: number;
  playedMs: number;
}

/** A playback failure weighs as much as this many stalls. */
export const failureWeight = 10;

export function troubleOf({ stalls, failures }: Pick<VideoSums, 'stalls' | 'failures'>): number {
  return stalls + failureWeight * failures;
}

export function addVideoSums(known: VideoSums | undefined, more: VideoSums): VideoSums {
  if (known === undefined) return more;
  return {
    stalls: known.stalls + more.stalls,
    failures: known.failures + more.failures,
    playedMs: known.playedMs + more.playedMs,
  };
}
