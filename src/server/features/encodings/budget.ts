import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { DiskBytes, DiskSpace } from '../../storage/disk-space.ts';
import { reservedBytes } from '../../storage/disk-space.ts';

/** A gigabyte as disks are sold: decimal, not binary. */
const bytesPerGigabyte = 1e9;

export interface BudgetDeps {
  /** `DERIVED_GB` at the moment; when absent, the budget follows the free space of the disk. */
  readonly configuredBytes: number | undefined;
  diskSpace: Pick<DiskSpace, 'read'>;
  /** Any existing folder on the disk that holds the encodings. */
  folder: string;
}

/** The number of bytes that encodings may take. */
export class Budget {
  private readonly deps: BudgetDeps;
  private share = 0;

  constructor(deps: BudgetDeps) {
    this.deps = deps;
  }

  get bytes(): number {
    return this.deps.configuredBytes ?? this.share;
  }

  /** Encoding is switched off: `DERIVED_GB` is 0. */
  get isOff(): boolean {
    return this.deps.configuredBytes === 0;
  }

  /**
   * Reads the free space again; the budget stays as it is while the disk does not answer.
   * @param usedBytes what encodings take now
   */
  async refresh(usedBytes: number): Promise<void> {
    const space = await this.readSpace();
    if (space !== null) this.share = shareOf(space, usedBytes);
  }

  /** Returns null while the disk does not answer. */
  readSpace(): Promise<DiskBytes | null> {
    return this.deps.diskSpace.read(this.deps.folder);
  }

  /**
   * Bytes that may be written before the reserve of the disk is touched; infinite while the disk
   * does not answer.
   */
  async writableBytes(): Promise<number> {
    const space = await this.readSpace();
    return space === null ? Number.POSITIVE_INFINITY : space.free - reservedBytes(space);
  }
}

/**
 * The share is taken of the space that would be free without encodings, so that it does not shrink
 * as encodings are added.
 */
function shareOf({ free }: Pick<DiskBytes, 'free'>, usedBytes: number): number {
  const share = Math.round((free + usedBytes) * limits.derivedShareOfFree);
  return Math.min(share, limits.derivedMaxGigabytes * bytesPerGigabyte);
}

const firstDelayMs = 60_000;
const maxDelayMs = 3_600_000;

/**
 * Stops encoding while the disk is full: each pause is twice as long as the one before, and the log
 * has one warning.
 */
export class FullDisk {
  private readonly clock: Clock;
  private readonly log: Log;
  private delayMs = 0;
  private until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.clock = clock;
    this.log = log;
  }

  /** Milliseconds until the next attempt; 0 when it may start now. */
  get waitMs(): number {
    return Math.max(0, this.until - this.clock.elapsed());
  }

  /** @returns milliseconds until the next attempt */
  note(): number {
    if (this.delayMs === 0) this.log.warn('The disk is full: nothing is encoded until there is room on it.');
    this.delayMs = Math.min(Math.max(firstDelayMs, this.delayMs * 2), maxDelayMs);
    this.until = this.clock.elapsed() + this.delayMs;
    return this.delayMs;
  }

  /** A write succeeded: encoding goes on, and the next pause is a short one. */
  forget(): void {
    if (this.delayMs > 0) this.log.info('There is room on the disk again: encoding goes on.');
    this.delayMs = 0;
    this.until = Number.NEGATIVE_INFINITY;
  }
}
