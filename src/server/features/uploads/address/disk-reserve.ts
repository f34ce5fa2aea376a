import { Refusal } from '../../../http/pipeline/errors.ts';
import type { DiskSpace } from '../../../storage/disk-space.ts';
import { reservedBytes } from '../../../storage/disk-space.ts';

/** A request is granted so much of the disk at a time, ahead of what it writes. */
const stepBytes = 16 * 1024 * 1024;

/** Room that uploads leave on their disk, which the database is on as well. */
export class DiskReserve {
  private readonly diskSpace: Pick<DiskSpace, 'read'>;
  private readonly folder: string;
  /** Bytes that requests under way were granted and have not written yet. */
  private granted = 0;

  /** @param folder any on that disk which is there */
  constructor(diskSpace: Pick<DiskSpace, 'read'>, folder: string) {
    this.diskSpace = diskSpace;
    this.folder = folder;
  }

  /** A disk that does not answer refuses nothing: writing to it will tell. @throws Refusal 507 */
  require(bytes: number): Promise<void> {
    return this.grant(0, bytes);
  }

  /**
   * Room for one request.
   * @param most what it may write
   * @throws Refusal 507 when the disk has no room for all of that
   */
  async open(most: number): Promise<DiskRoom> {
    const first = Math.min(most, stepBytes);
    await this.grant(first, most - first);
    return new DiskRoom(this, first);
  }

  /**
   * Counts bytes as granted until they are given back, if the disk has room for them and some more.
   * @throws Refusal 507, and nothing is granted
   */
  async grant(bytes: number, more: number): Promise<void> {
    this.granted += bytes;
    // As it is before the disk is asked: what is written meanwhile counts twice then, not never.
    const wanted = this.granted + more;
    const space = await this.diskSpace.read(this.folder);
    if (space === null || space.free - wanted >= reservedBytes(space)) return;
    this.giveBack(bytes);
    throw new Refusal('out_of_space');
  }

  /** What was granted has been written, or is not going to be. */
  giveBack(bytes: number): void {
    this.granted -= bytes;
  }
}

/** What one request may write to the disk. */
export class DiskRoom {
  private readonly reserve: DiskReserve;
  private left: number;

  constructor(reserve: DiskReserve, granted: number) {
    this.reserve = reserve;
    this.left = granted;
  }

  /** Before so many bytes are written. @throws Refusal 507 */
  async cover(bytes: number): Promise<void> {
    if (bytes <= this.left) return;
    const step = Math.max(stepBytes, bytes - this.left);
    await this.reserve.grant(step, 0);
    this.left += step;
  }

  /** So many bytes were written. */
  use(bytes: number): void {
    this.left -= bytes;
    this.reserve.giveBack(bytes);
  }

  /** The request is over. */
  [Symbol.dispose](): void {
    this.use(this.left);
  }
}
