import type { Clock } from '../../clock.ts';
import { isDatabaseAway } from '../../database/dialect.ts';

/** After the database gave no answer, those that can go on without it do not wait for it again for so long. */
const openMs = 1_000;

export class CircuitBreaker {
  private readonly clock: Clock;
  private openUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** True while the database counts as away. */
  get isOpen(): boolean {
    return this.clock.elapsed() < this.openUntil;
  }

  /** @throws the error itself when it is about anything else than a database that is away */
  trip(error: unknown): void {
    if (!isDatabaseAway(error)) throw error;
    this.openUntil = this.clock.elapsed() + openMs;
  }
}
