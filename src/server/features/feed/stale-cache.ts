import type { CircuitBreaker } from './circuit-breaker.ts';

/** The last answers of the database, given again while it gives none. */
export class StaleCache<Value> {
  private readonly breaker: CircuitBreaker;
  private readonly maxEntries: number;
  private readonly entries = new Map<string, { value: Value }>();

  /** @param maxEntries how many are stored: those that were read last */
  constructor(breaker: CircuitBreaker, maxEntries: number) {
    this.breaker = breaker;
    this.maxEntries = maxEntries;
  }

  /** @throws what `load` failed with, when nothing is stored */
  async read(key: string, load: () => Promise<Value>): Promise<Value> {
    const last = this.entries.get(key);
    if (last !== undefined && this.breaker.isOpen) return last.value;
    try {
      return this.store(key, await load());
    } catch (error) {
      this.breaker.trip(error);
      if (last === undefined) throw error;
      return last.value;
    }
  }

  private store(key: string, value: Value): Value {
    this.entries.delete(key);
    this.entries.set(key, { value });
    const [oldest] = this.entries.size > this.maxEntries ? this.entries.keys() : [];
    if (oldest !== undefined) this.entries.delete(oldest);
    return value;
  }
}
