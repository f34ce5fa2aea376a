import { Refusal } from '../../../http/pipeline/errors.ts';
import type { DiskSpace } from '../../../storage/disk-space.ts';
import { reservedBytes } from '../../../storage/disk-space.ts';

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
    if (space.free - bytes < reservedBytes(space)) throw new Refusal('out_of_space');
  }
}
