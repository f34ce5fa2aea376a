import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Executor } from '../../database/tables.ts';
import type { Entries, StoredLog } from './watched-repository.ts';
import { chunkLength, watchedRepository } from './watched-repository.ts';

/** A video that came to the screen, and when, in epoch minutes. */
interface Entry {
  number: number;
  minute: number;
}

/** Chunks that are read with one query. */
export const chunksAtOnce = 8;
const sliceMs = 2;
/** The last videos that a device has reported, of a few devices. */
const maxDevices = 16;

/** The log of one owner: what the database has of it, and what is still to be written. */
export class WatchedLog {
  /** The log's name and length in the database, as last read; null: there is none. */
  stored: StoredLog | null = null;
  private readonly most: number;
  private readonly repeats: number;
  private unwritten: Entry[] = [];
  /** The numbers of the last entries, the latest last. */
  private tail: number[] = [];
  private readonly devices = new Map<string, readonly number[]>();

  /**
   * @param most the most entries that are kept
   * @param repeats the number of last entries among which a repeated report is recognized
   */
  constructor({ most, repeats }: { most: number; repeats: number }) {
    this.most = most;
    this.repeats = repeats;
  }

  /** The number of entries in the database, deleted ones included. */
  get length(): number {
    return this.stored?.entries ?? 0;
  }

  /** The place behind the last entry, written or not. */
  get end(): number {
    return this.length + this.unwritten.length;
  }

  get hasUnwritten(): boolean {
    return this.unwritten.length > 0;
  }

  /**
   * Adds the videos of a device's report that were not reported before. A report begins with
   * videos of the one before, so it goes on where the two overlap. Where they do not, videos among
   * the last entries are not written again; of a small library, fewer entries count.
   * @returns the videos that the report tells anew, written or not
   */
  add(device: string, numbers: readonly number[], minute: number, libraryLength: number): number[] {
    const before = this.devices.get(device) ?? this.tail;
    const overlap = overlapOf(before, numbers);
    const last = this.tail.slice(-Math.max(1, Math.min(this.repeats, Math.floor(libraryLength / 2))));
    const added = overlap > 0 ? numbers.slice(overlap) : numbers.filter((number) => !last.includes(number));
    this.unwritten.push(...added.map((number) => ({ number, minute })));
    this.remember(added);
    this.devices.delete(device);
    this.devices.set(device, [...(overlap > 0 ? before : []), ...numbers.slice(overlap)].slice(-this.repeats));
    const [oldest] = this.devices.size > maxDevices ? this.devices.keys() : [];
    if (oldest !== undefined) this.devices.delete(oldest);
    return numbers.slice(overlap);
  }

  /** The entries that are not written yet. */
  listUnwritten(): { numbers: Uint32Array; minutes: Uint32Array } {
    return {
      numbers: Uint32Array.from(this.unwritten, ({ number }) => number),
      minutes: Uint32Array.from(this.unwritten, ({ minute }) => minute),
    };
  }

  /** The numbers of the unwritten entries from a place in the log on. */
  numbersFrom(place: number): Uint32Array {
    return this.listUnwritten().numbers.subarray(Math.max(0, place - this.length));
  }

  /**
   * Drops the oldest unwritten entries beyond the most.
   * @returns how many
   */
  keepUnwritten(most: number): number {
    const dropped = Math.max(0, this.unwritten.length - most);
    this.unwritten = this.unwritten.slice(dropped);
    return dropped;
  }

  /** Takes over what the database has at the start. @throws if it does not answer */
  async read(executor: Executor, owner: string): Promise<void> {
    this.stored = await watchedRepository.find(executor, owner);
    if (this.stored === null) return;
    const from = Math.max(0, this.stored.entries - this.repeats);
    for (const { numbers } of await watchedRepository.readFrom(executor, owner, from, 2)) this.remember([...numbers]);
  }

  /**
   * The entries that others have written since the last reading.
   * @param until the length of the log in the database
   */
  async readNewer(executor: Executor, owner: string, until: number): Promise<Entries[]> {
    const from = this.length;
    if (until <= from) return [];
    const chunks = Math.ceil(until / chunkLength) - Math.floor(from / chunkLength);
    return watchedRepository.readFrom(executor, owner, from, chunks);
  }

  /**
   * Passes on the written entries from a place on, in slices of some milliseconds, until the end or
   * until it is told to stop.
   */
  async visit(
    executor: Executor,
    owner: string,
    from: number,
    { onPiece, isOver, clock }: { onPiece: (numbers: Uint32Array) => void; isOver: () => boolean; clock: Clock },
  ): Promise<void> {
    for (let at = from; at < this.length && !isOver(); ) {
      const pieces = await watchedRepository.readFrom(executor, owner, at, chunksAtOnce);
      let begunAt = clock.elapsed();
      for (const { numbers } of pieces) {
        onPiece(numbers);
        if (clock.elapsed() - begunAt < sliceMs) continue;
        await nextTurn();
        begunAt = clock.elapsed();
      }
      const last = pieces.at(-1);
      at = last === undefined ? this.length : last.from + last.numbers.length;
    }
  }

  /**
   * Writes what was not written, behind what others have.
   * @param held the log as the database has it
   */
  async write(transaction: Executor, owner: string, held: StoredLog, now: number): Promise<WrittenLog> {
    const entries = this.listUnwritten();
    await watchedRepository.append(transaction, owner, held.entries, entries, { now, most: this.most });
    const count = entries.numbers.length;
    return { stored: { ...held, entries: held.entries + count }, count };
  }

  /** Takes over a write once its transaction is committed. @param newer what others had written */
  markWritten({ stored, count }: WrittenLog, newer: readonly Entries[]): void {
    for (const { numbers } of newer) this.remember([...numbers]);
    this.unwritten = this.unwritten.slice(count);
    this.stored = stored;
  }

  private remember(numbers: readonly number[]): void {
    this.tail = [...this.tail, ...numbers].slice(-this.repeats);
  }
}

interface WrittenLog {
  stored: StoredLog;
  /** How many entries were written. */
  count: number;
}

/** How many of the first numbers of `next` are the last ones of `before`. */
function overlapOf(before: readonly number[], next: readonly number[]): number {
  for (let length = Math.min(before.length, next.length); length > 0; length -= 1) {
    const start = before.length - length;
    if (next.slice(0, length).every((number, at) => before[start + at] === number)) return length;
  }
  return 0;
}
