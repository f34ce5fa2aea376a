/** §3 Status, ScanningStatus; §3 Library. */
export interface ScanFacts {
  /** The last scan went through everything, and none runs. */
  isComplete: boolean;
  isRunning: boolean;
  /** Every root has been scanned to its end at least once. */
  isInitialComplete: boolean;
  /** Files that the running scan, or else the last one, has found; null when this process has made none. */
  found: number | null;
  /** 0 to 100; null while none runs in this process, or nothing is known to compare with. */
  progress: number | null;
}

/** How far a scan is, by how many files there were the time before. */
export class ScanProgress {
  private expected: number;
  private foundFiles: number | null = null;

  /** @param expected files that the first scan will find, as far as is known; 0: unknown */
  constructor(expected: number) {
    this.expected = expected;
  }

  /** Null before the first scan. */
  get found(): number | null {
    return this.foundFiles;
  }

  /** 0 to 99, since there may be more files than were expected; null while nothing is known to compare with. */
  get percent(): number | null {
    if (this.expected === 0) return null;
    return Math.min(Math.floor(((this.foundFiles ?? 0) / this.expected) * 100), 99);
  }

  record(found: number): void {
    this.foundFiles = found;
  }

  /** The scan went through everything. */
  end(found: number): void {
    this.foundFiles = found;
    this.expected = found;
  }
}
