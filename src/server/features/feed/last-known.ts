import type { Clock } from '../../clock.ts';
import { isDatabaseAway } from '../../database/dialect.ts';

/** The database did not answer a moment ago: who has something to go on with does not wait for it again. */
export interface Outage {
  readonly isOn: boolean;
  /** @throws the error itself when it is about anything else */
  note(error: unknown): void;
}

/** Answers of the database, kept for while it gives none. */
export interface LastKnown<Value> {
  /** @throws what the reading failed with, when nothing is known */
  read(key: string, load: () => Promise<Value>): Promise<Value>;
}

const outageMs = 1_000;

export function createOutage(clock: Clock): Outage {
  let until = Number.NEGATIVE_INFINITY;
  return {
    get isOn() {
      return clock.elapsed() < until;
    },
    note(error) {
      if (!isDatabaseAway(error)) throw error;
      until = clock.elapsed() + outageMs;
    },
  };
}

/** @param most how many are kept: those that were read last */
export function createLastKnown<Value>(outage: Outage, most: number): LastKnown<Value> {
  const known = new Map<string, { value: Value }>();

  function keep(key: string, value: Value): Value {
    known.delete(key);
    known.set(key, { value });
    const [oldest] = known.size > most ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return value;
  }

  return {
    async read(key, load) {
      const last = known.get(key);
      if (last !== undefined && outage.isOn) return last.value;
      try {
        return keep(key, await load());
      } catch (error) {
        outage.note(error);
        if (last === undefined) throw error;
        return last.value;
      }
    },
  };
}
