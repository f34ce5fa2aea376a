import { Refusal } from '../../../http/pipeline/errors.ts';
import type { DiskSpace } from '../../../storage/disk-space.ts';

const mostReservedBytes = 1024 ** 3;
const reservedPart = 0.1;

/** Room that uploads leave on their disk, which the database is on as well. */
export class DiskReserve {
  private readonly diskSpace: Pick<DiskSpace, 'read'>;
  private readonly folder: string;

  /** @param folder any on that disk which is there */
  constructor(diskSpace: Pick<DiskSpace, 'read'>, folder: string) {
    this.diskSpace = diskSpace;
    this.folder = folder;
  }

  /** A disk that does not answer refuses nothing: writing to it will tell. @throws Refusal 507 */
  async require(bytes: number): Promise<void> {
    const space = await this.diskSpace.read(this.folder);
    if (space === null) return;
    const reserved = Math.min(mostReservedBytes, space.total * reservedPart);
    if (space.free - bytes < reserved) throw new Refusal('out_of_space');
  }
}

/** The disk, or what one person may have of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
