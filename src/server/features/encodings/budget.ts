import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { DiskBytes, DiskSpace } from '../../storage/disk-space.ts';
import { reservedBytes } from '../../storage/disk-space.ts';

/** As disks are sold. */
const bytesPerGigabyte = 1e9;

export interface BudgetDeps {
  /** `DERIVED_GB`; absent: by how much of the disk is free. */
  configuredBytes: number | undefined;
  diskSpace: Pick<DiskSpace, 'read'>;
  /** Any on the disk of the encodings that is there. */
  folder: string;
}

/** How many bytes encodings may take. */
export class Budget {
  private readonly deps: BudgetDeps;
  private current: number;

  constructor(deps: BudgetDeps) {
    this.deps = deps;
    this.current = deps.configuredBytes ?? 0;
  }

  get bytes(): number {
    return this.current;
  }

  /** Nothing is encoded. */
  get isOff(): boolean {
    return this.deps.configuredBytes === 0;
  }

  /** A disk that does not answer changes nothing. @param usedBytes what encodings take now */
  async refresh(usedBytes: number): Promise<void> {
    const space = await this.readSpace();
    if (this.deps.configuredBytes === undefined && space !== null) this.current = shareOf(space, usedBytes);
  }

  /** Null while the disk does not answer. */
  readSpace(): Promise<DiskBytes | null> {
    return this.deps.diskSpace.read(this.deps.folder);
  }

  /** Bytes that may be written before others need them; a disk that does not answer forbids nothing. */
  async writableBytes(): Promise<number> {
    const space = await this.readSpace();
    return space === null ? Number.POSITIVE_INFINITY : space.free - reservedBytes(space);
  }
}

/** Of what would be free without encodings, so that the share does not shrink as they come. */
function shareOf({ free }: Pick<DiskBytes, 'free'>, usedBytes: number): number {
  const share = Math.round((free + usedBytes) * limits.derivedShareOfFree);
  return Math.min(share, limits.derivedMaxGigabytes * bytesPerGigabyte);
}

const firstDelayMs = 60_000;
const maxDelayMs = 3_600_000;

/** Encoding stops while the disk is full, twice as long each time, and says so once. */
export class FullDisk {
  private readonly clock: Clock;
  private readonly log: Log;
  private delayMs = 0;
  private until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.clock = clock;
    this.log = log;
  }

  /** Milliseconds until it is tried again; 0: now. */
  get waitMs(): number {
    return Math.max(0, this.until - this.clock.elapsed());
  }

  /** @returns milliseconds until it is tried again */
  note(): number {
    if (this.delayMs === 0) this.log.warn('The disk is full: nothing is encoded until there is room on it.');
    this.delayMs = Math.min(Math.max(firstDelayMs, this.delayMs * 2), maxDelayMs);
    this.until = this.clock.elapsed() + this.delayMs;
    return this.delayMs;
  }

  /** Something was written. */
  forget(): void {
    if (this.delayMs > 0) this.log.info('There is room on the disk again: encoding goes on.');
    this.delayMs = 0;
    this.until = Number.NEGATIVE_INFINITY;
  }
}
