import type { Clock } from '../../clock.ts';
import type { LiveSets } from '../live-sets.ts';

interface Count {
  count: number;
  /** Nothing had changed at this tick of the live sets. */
  tick: number;
  /** By `clock.elapsed()`, milliseconds. */
  countedAt: number;
}

/**
 * Beyond this many videos all counts together take milliseconds; while a library of that size changes, they may be a
 * second old.
 */
const largeLibrary = 100_000;
const largestLagMs = 1_000;

/** How many available videos each tag is on, counted again only where one of the two sets has changed. */
export class TagCounts {
  private readonly sets: LiveSets;
  private readonly clock: Clock;
  private readonly counts = new Map<number, Count>();

  constructor(sets: LiveSets, clock: Clock) {
    this.sets = sets;
    this.clock = clock;
  }

  read(tag: number): number {
    const known = this.counts.get(tag);
    if (known !== undefined && this.isGood(tag, known)) return known.count;
    const count = this.sets.of(tag).bits.andCardinality(this.sets.of('available').bits);
    this.counts.set(tag, { count, tick: this.sets.tick(), countedAt: this.clock.elapsed() });
    return count;
  }

  private isGood(tag: number, known: Count): boolean {
    const tick = this.sets.tick();
    if (known.tick === tick) return true;
    if (this.sets.of(tag).changedAt > known.tick) return false;
    const available = this.sets.of('available');
    if (available.changedAt > known.tick)
      return available.bits.size > largeLibrary && this.clock.elapsed() - known.countedAt < largestLagMs;
    known.tick = tick;
    return true;
  }
}
