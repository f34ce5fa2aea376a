/** What bodies on their way to the disk may take of this process together. */
const totalBytes = 32 * 1024 * 1024;
/** What is lost with the process when it is killed is twice this at most. */
const largestShare = 512 * 1024;
const smallestShare = 64 * 1024;
/** With the smallest share each, twice: while one is written, the next is collected. */
const maxBodies = totalBytes / smallestShare / 2;

/** Shares memory between the bodies that are being received: the more there are, the sooner each one is written. */
export class WriteMemory {
  private bodies = 0;

  /** How much one body collects before it is written. */
  share(): number {
    return Math.min(largestShare, Math.max(smallestShare, Math.floor(totalBytes / 2 / Math.max(1, this.bodies))));
  }

  get isFull(): boolean {
    return this.bodies >= maxBodies;
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.bodies += 1;
    try {
      return await work();
    } finally {
      this.bodies -= 1;
    }
  }
}
