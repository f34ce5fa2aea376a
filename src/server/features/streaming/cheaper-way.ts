/**
 * How bytes get from the page cache into a socket: handed over as they lie there (`sendfile`), or copied through a
 * small buffer.
 */
export type Way = 'hand-over' | 'copy';

/** Every so many choices the dearer way is tried. */
const tryEvery = 32;
/** How far one measurement moves what is thought of a way. */
const step = 1.05;

/**
 * Which way costs this process less depends on the network device, its congestion control, the caches of the processor,
 * and how many clients and other processes there are (decision 0012). So it is measured all the time.
 */
export class CheaperWay {
  /**
   * Milliseconds for a byte. Being moved by steps, whatever is measured, it goes to the median: one measurement of an
   * interrupted process moves it little.
   */
  private readonly costs: Partial<Record<Way, number>> = {};
  private choices = 0;

  /** The cheaper one; now and then the other, to see whether that still holds. */
  choose(): Way {
    const { 'hand-over': handOver, copy } = this.costs;
    this.choices += 1;
    if (handOver === undefined) return 'hand-over';
    if (copy === undefined) return 'copy';
    const isHandOverCheaper = handOver <= copy;
    return (this.choices % tryEvery === 0) === isHandOverCheaper ? 'copy' : 'hand-over';
  }

  /** @param ms that so many bytes took, all of them in calls of the system */
  record(way: Way, bytes: number, ms: number): void {
    const cost = ms / bytes;
    const known = this.costs[way] ?? cost;
    this.costs[way] = cost > known ? known * step : known / step;
  }
}
