import { Seen } from '../../id-sets/draw-unseen.ts';
import type { StoredRound } from './watched-repository.ts';

/** A round of one filter: what its owner has watched since it began. */
export interface Round {
  readonly selection: string;
  /** The place in the log where it began. */
  startedAt: number;
  readonly seen: Seen;
  /** How often it has begun again. */
  restarts: number;
  /** Bytes in memory, as last counted. */
  size: number;
  /** It was used since the log was written. */
  isUsed: boolean;
}

/** The names of filters without tags and sets begin so. */
export const allVideos = 'all ';

/** The rounds of one owner: those in memory, and the places where all of them began. */
export class OwnRounds {
  private readonly loaded = new Map<string, Round>();
  private readonly onGone: (round: Round) => void;
  /** The one used last comes first. */
  private begun: readonly StoredRound[] = [];

  /** @param onGone is called for a round whose memory is freed */
  constructor(onGone: (round: Round) => void) {
    this.onGone = onGone;
  }

  get(selection: string): Round | undefined {
    return this.loaded.get(selection);
  }

  has(round: Round): boolean {
    return this.loaded.get(round.selection) === round;
  }

  /** Lists the rounds that were used since the log was written. */
  listUsed(): Round[] {
    return [...this.loaded.values()].filter(({ isUsed }) => isUsed);
  }

  mark(number: number): void {
    for (const { seen } of this.loaded.values()) seen.mark(number);
  }

  markAll(numbers: Uint32Array): void {
    for (const { seen } of this.loaded.values()) seen.markAll(numbers);
  }

  /** The log has lost so many entries at its beginning; a round may have begun before what is left. */
  moveBack(entries: number): void {
    for (const round of this.loaded.values()) round.startedAt -= entries;
  }

  /** The log is written: whatever began before it begins with it, and keeps what it has seen. */
  beginInLog(): void {
    for (const round of this.loaded.values()) round.startedAt = Math.max(0, round.startedAt);
  }

  /** A filter that is new begins where all videos began. */
  startOf(selection: string): number {
    const own = this.begun.find((round) => round.selection === selection);
    const here = this.findOfAll();
    const there = this.begun.find((round) => round.selection.startsWith(allVideos));
    return own?.startedAt ?? here?.startedAt ?? there?.startedAt ?? 0;
  }

  add(selection: string, startedAt: number, seen: Seen): Round {
    const round = { selection, startedAt, seen, restarts: 0, size: seen.size, isUsed: true };
    this.loaded.set(selection, round);
    return round;
  }

  /** Copies the seen videos of a round that began at the same place; null if there is none. */
  copySeen(startedAt: number): Seen | null {
    // Rounds that began before the log may share a place and have seen other videos.
    const rounds = [this.findOfAll(), ...this.loaded.values()];
    const twin = rounds.find((round) => round?.startedAt === startedAt);
    if (twin === undefined) return null;
    const seen = new Seen();
    seen.markSeen(twin.seen);
    return seen;
  }

  private findOfAll(): Round | undefined {
    return [...this.loaded.values()].find((round) => round.selection.startsWith(allVideos));
  }

  /** Takes over where rounds began. Those that another node has begun again are freed. */
  compare(begun: readonly StoredRound[]): void {
    this.begun = begun;
    for (const { selection, startedAt } of begun) {
      const round = this.loaded.get(selection);
      if (round !== undefined && startedAt > round.startedAt) this.free(round);
    }
  }

  free(round: Round): void {
    this.loaded.delete(round.selection);
    round.seen.dispose();
    this.onGone(round);
  }

  clear(): void {
    this.begun = [];
    for (const round of [...this.loaded.values()]) this.free(round);
  }
}
