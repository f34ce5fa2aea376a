import type { TimeWindow } from '#contract/rules/health.ts';
import { minutesOf } from '#contract/rules/health.ts';

/** The counts of this process in one slot of time. */
export interface OpenSlot<Content> {
  /** Epoch milliseconds, a multiple of the slot's length. */
  readonly startsAt: number;
  /** The node name of its rows in the database. */
  readonly node: string;
  readonly content: Content;
  /** The number of changes so far. */
  changes: number;
}

/** A slot with its number of changes at one moment. */
interface ChangedSlot<Content> {
  slot: OpenSlot<Content>;
  changes: number;
}

/** Rows of the database that memory replaces: those of one node from an instant on. */
export interface LiveRows {
  node: string;
  from: number;
}

interface OpenSlotsOptions<Content> {
  slotSeconds: number;
  /** How long after its end a slot can still change. */
  changesForMs: number;
  /** How long rows of this length are stored. */
  storedForMs: number;
  create: () => Content;
  /** Frees memory of a slot that does not change any more; its rows stay the same. */
  trim?: (content: Content) => void;
  /** Gives this process a new name. */
  nameNode: () => string;
}

/**
 * How long after its end an unwritten slot is kept for further attempts, at most. Later the rows of
 * all processes are summed up.
 */
const triedForMs = 3_600_000;
const summedAfterMs = triedForMs + 20 * 60_000;

/** Rows of slots that start before this time do not change, and are in no process's memory. */
export function summedBefore(slotSeconds: number, now: number): number {
  return now - 2 * slotSeconds * 1_000 - summedAfterMs;
}

/**
 * Slots written in one transaction, so that a transaction after a long failure is no longer than
 * others.
 */
const slotsTogether = 30;

/**
 * The slots of one length that can still change or are not written yet. A row is always written
 * with its complete counts: a write whose answer was lost can be repeated, and nothing counts
 * twice.
 */
export class OpenSlots<Content> {
  readonly slotMs: number;
  private readonly options: OpenSlotsOptions<Content>;
  private readonly slots = new Map<number, OpenSlot<Content>>();
  private readonly written = new WeakMap<OpenSlot<Content>, number>();
  private node: string;
  /** Slots that start before this were written for the last time. */
  private closedBefore = Number.NEGATIVE_INFINITY;

  constructor(options: OpenSlotsOptions<Content>) {
    this.options = options;
    this.slotMs = options.slotSeconds * 1_000;
    this.node = options.nameNode();
  }

  get slotSeconds(): number {
    return this.options.slotSeconds;
  }

  /** The slot of an instant, for a change. */
  at(instant: number): Content {
    const startsAt = this.slotOf(instant);
    const slot = this.slots.get(startsAt) ?? this.open(startsAt);
    slot.changes += 1;
    return slot.content;
  }

  slotOf(instant: number): number {
    return Math.floor(instant / this.slotMs) * this.slotMs;
  }

  /** The slots that start within the range, both ends included. */
  between(from: number, until: number): OpenSlot<Content>[] {
    return [...this.slots.values()].filter(({ startsAt }) => startsAt >= from && startsAt <= until);
  }

  /**
   * The oldest few slots that changed since they were written. Pass them to `markWritten` once they
   * are committed.
   */
  unwritten(): ChangedSlot<Content>[] {
    return this.changed()
      .slice(0, slotsTogether)
      .map((slot) => ({ slot, changes: slot.changes }));
  }

  markWritten(written: readonly ChangedSlot<Content>[]): void {
    for (const { slot, changes } of written) this.written.set(slot, changes);
  }

  /**
   * Frees slots that are written and cannot change any more, and slots that are too old to be
   * written.
   */
  close(now: number): void {
    const { changesForMs, trim } = this.options;
    const storedForMs = Math.min(this.options.storedForMs, this.slotMs + triedForMs);
    const settled = this.slotOf(now - changesForMs - this.slotMs);
    const isWritten = this.changed().every(({ startsAt }) => startsAt >= settled);
    const before = isWritten ? settled : this.slotOf(now - storedForMs);
    for (const { startsAt, content } of this.slots.values())
      if (startsAt < before) this.slots.delete(startsAt);
      else if (startsAt < settled) trim?.(content);
    this.closedBefore = Math.max(this.closedBefore, before);
  }

  /** The rows in the database that are in memory too. */
  live(): LiveRows[] {
    const from = new Map<string, number>();
    for (const { node, startsAt } of this.slots.values())
      from.set(node, Math.min(startsAt, from.get(node) ?? startsAt));
    return [...from].map(([node, first]) => ({ node, from: first }));
  }

  private changed(): OpenSlot<Content>[] {
    return [...this.slots.values()]
      .filter((slot) => this.written.get(slot) !== slot.changes)
      .sort((a, b) => a.startsAt - b.startsAt);
  }

  private open(startsAt: number): OpenSlot<Content> {
    // The clock of the system was set back: the counts of this slot were freed, and its row must
    // not be overwritten.
    if (startsAt < this.closedBefore) {
      this.node = this.options.nameNode();
      this.closedBefore = Number.NEGATIVE_INFINITY;
    }
    const slot = { startsAt, node: this.node, content: this.options.create(), changes: 0 };
    this.slots.set(startsAt, slot);
    return slot;
  }
}

/** How a window is read: the length of its slots, and of a step in its series. */
interface WindowShape {
  slotSeconds: 10 | 60;
  stepSeconds: number;
}

export const playbackWindows: Readonly<Record<TimeWindow, WindowShape>> = {
  '1m': { slotSeconds: 10, stepSeconds: 10 },
  '5m': { slotSeconds: 10, stepSeconds: 10 },
  '15m': { slotSeconds: 10, stepSeconds: 10 },
  '1h': { slotSeconds: 60, stepSeconds: 60 },
  '6h': { slotSeconds: 60, stepSeconds: 300 },
  '24h': { slotSeconds: 60, stepSeconds: 900 },
};

/**
 * The first and the last slot of a window; the window begins within the first one.
 * @param slotSeconds the length of a slot
 * @param now epoch milliseconds, as is the result
 */
export function slotsOf(window: TimeWindow, slotSeconds: number, now: number): { from: number; until: number } {
  const slotMs = slotSeconds * 1_000;
  const slotOf = (instant: number) => Math.floor(instant / slotMs) * slotMs;
  return { from: slotOf(now - minutesOf(window) * 60_000), until: slotOf(now) };
}
