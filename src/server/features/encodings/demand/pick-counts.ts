/** What is picked once among so many is not worth encoding. */
const maxCounted = 5_000;

/** How often some videos were picked, by number; in memory of this process. */
export class PickCounts {
  private counts = new Map<number, number>();

  add(videoNumber: number): void {
    const count = this.counts.get(videoNumber);
    if (count !== undefined || this.counts.size < maxCounted) this.counts.set(videoNumber, (count ?? 0) + 1);
  }

  /** Numbers, the one that was picked most often first. */
  most(limit: number): number[] {
    return [...this.counts]
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit)
      .map(([number]) => number);
  }

  remove(videoNumber: number): void {
    this.counts.delete(videoNumber);
  }

  /** All of them; counting begins anew. */
  take(): ReadonlyMap<number, number> {
    const counts = this.counts;
    this.counts = new Map();
    return counts;
  }
}
