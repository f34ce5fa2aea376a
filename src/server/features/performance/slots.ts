import type { TimeWindow } from '#contract/rules/health.ts';
import { minutesOf } from '#contract/rules/health.ts';

/** What this process has counted in one slot of time. */
export interface OpenSlot<Content> {
  /** Epoch milliseconds, a multiple of the slot's length. */
  readonly startsAt: number;
  /** Whose rows they are in the database. */
  readonly node: string;
  readonly content: Content;
  /** Counts its changes. */
  changes: number;
}

/** A slot, and how many changes it had. */
interface ChangedSlot<Content> {
  slot: OpenSlot<Content>;
  changes: number;
}

/** Rows of the database that memory knows better: those of a node from an instant on. */
export interface LiveRows {
  node: string;
  from: number;
}

interface OpenSlotsOptions<Content> {
  slotSeconds: number;
  /** How long after its end a slot can still change. */
  changesForMs: number;
  /** How long a slot is worth to be written, when it could not be. */
  storedForMs: number;
  create: () => Content;
  /** Frees what need not be in memory of a slot that does not change any more; its rows stay the same. */
  trim?: (content: Content) => void;
  /** Names this process anew. */
  nameNode: () => string;
}

/** Written in one transaction, so that one after a long failure is no longer than others. */
const slotsTogether = 30;

/**
 * The slots of one length that can still change, or wait to be written. Rows are written whole, with all that was ever
 * counted in them: a write whose answer was lost can be made again, and nothing counts twice.
 */
export class OpenSlots<Content> {
  readonly slotMs: number;
  private readonly options: OpenSlotsOptions<Content>;
  private readonly slots = new Map<number, OpenSlot<Content>>();
  private readonly written = new WeakMap<OpenSlot<Content>, number>();
  private node: string;
  /** Slots before it were written for the last time. */
  private closedBefore = Number.NEGATIVE_INFINITY;

  constructor(options: OpenSlotsOptions<Content>) {
    this.options = options;
    this.slotMs = options.slotSeconds * 1_000;
    this.node = options.nameNode();
  }

  get slotSeconds(): number {
    return this.options.slotSeconds;
  }

  /** The slot of an instant, to be changed. */
  at(instant: number): Content {
    const startsAt = this.slotOf(instant);
    const slot = this.slots.get(startsAt) ?? this.open(startsAt);
    slot.changes += 1;
    return slot.content;
  }

  slotOf(instant: number): number {
    return Math.floor(instant / this.slotMs) * this.slotMs;
  }

  /** Those that start at these instants or between them. */
  between(from: number, until: number): OpenSlot<Content>[] {
    return [...this.slots.values()].filter(({ startsAt }) => startsAt >= from && startsAt <= until);
  }

  /** Changed since they were written, the oldest first, a few. Pass them to `markWritten` once they are committed. */
  unwritten(): ChangedSlot<Content>[] {
    return this.changed()
      .slice(0, slotsTogether)
      .map((slot) => ({ slot, changes: slot.changes }));
  }

  markWritten(written: readonly ChangedSlot<Content>[]): void {
    for (const { slot, changes } of written) this.written.set(slot, changes);
  }

  /** Frees what is written and cannot change any more, and what is not worth to be written any more. */
  close(now: number): void {
    const { changesForMs, storedForMs, trim } = this.options;
    const settled = this.slotOf(now - changesForMs - this.slotMs);
    const isWritten = this.changed().every(({ startsAt }) => startsAt >= settled);
    const before = isWritten ? settled : this.slotOf(now - storedForMs);
    for (const { startsAt, content } of this.slots.values())
      if (startsAt < before) this.slots.delete(startsAt);
      else if (startsAt < settled) trim?.(content);
    this.closedBefore = Math.max(this.closedBefore, before);
  }

  /** Every row of these in the database is in memory too. */
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
    // The system's clock was set back: what this slot had was freed, and its row must not be written over.
    if (startsAt < this.closedBefore) {
      this.node = this.options.nameNode();
      this.closedBefore = Number.NEGATIVE_INFINITY;
    }
    const slot = { startsAt, node: this.node, content: this.options.create(), changes: 0 };
    this.slots.set(startsAt, slot);
    return slot;
  }
}

/** How a window is read: which slots are summed, and how long a point of its series is. */
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
 * The first and the last slot of a window: it begins with the one that its begin falls into.
 * @param slotSeconds how long a slot is
 * @param now epoch milliseconds, as is the answer
 */
export function slotsOf(window: TimeWindow, slotSeconds: number, now: number): { from: number; until: number } {
  const slotMs = slotSeconds * 1_000;
  const slotOf = (instant: number) => Math.floor(instant / slotMs) * slotMs;
  return { from: slotOf(now - minutesOf(window) * 60_000), until: slotOf(now) };
}
