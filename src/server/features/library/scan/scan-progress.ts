/** The progress of a scan, measured by the number of files in the previous one. */
export class ScanProgress {
  private expected: number;
  private foundFiles: number | null = null;

  /** @param expected the number of files that the first scan will find; 0 when unknown */
  constructor(expected: number) {
    this.expected = expected;
  }

  /** Null before the first scan. */
  get found(): number | null {
    return this.foundFiles;
  }

  /**
   * A number from 0 to 99, because there may be more files than expected; null without a number to
   * compare with.
   */
  get percent(): number | null {
    if (this.expected === 0) return null;
    return Math.min(Math.floor(((this.foundFiles ?? 0) / this.expected) * 100), 99);
  }

  record(found: number): void {
    this.foundFiles = found;
  }

  /** Records that the scan covered everything. */
  end(found: number): void {
    this.foundFiles = found;
    this.expected = found;
  }
}
