import type { Clock } from '../../../clock.ts';

const rememberedMs = 24 * 3_600_000;

/** What devices lacked lately when they asked for a video: in memory of this process, and gone with it. */
export class LackedNeeds {
  private readonly clock: Clock;
  /** By place in `mediaNeeds`; by `clock.elapsed()`. */
  private readonly notedAt = new Map<number, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @param places in `mediaNeeds` */
  note(places: readonly number[]): void {
    for (const place of places) this.notedAt.set(place, this.clock.elapsed());
  }

  /** Places in `mediaNeeds`. */
  list(): number[] {
    const since = this.clock.elapsed() - rememberedMs;
    return [...this.notedAt].filter(([, notedAt]) => notedAt > since).map(([place]) => place);
  }

  forget(): void {
    this.notedAt.clear();
  }
}
