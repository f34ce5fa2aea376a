import type { Clock } from '../../clock.ts';

/** How much of something goes on at this server. It refuses nobody by itself. */
export interface Pressure {
  add(): void;
  /** While more of it has happened in the present window, or in the one before, than is usual. */
  isHigh(): boolean;
}

export function measurePressure(clock: Clock, { most, windowMs }: { most: number; windowMs: number }): Pressure {
  let window = { startedAt: clock.elapsed(), count: 0, before: 0 };
  const present = () => {
    const passed = Math.floor((clock.elapsed() - window.startedAt) / windowMs);
    if (passed > 0)
      window = { startedAt: window.startedAt + passed * windowMs, count: 0, before: passed === 1 ? window.count : 0 };
    return window;
  };
  return {
    add() {
      present().count += 1;
    },
    isHigh() {
      const { count, before } = present();
      return Math.max(count, before) > most;
    },
  };
}
