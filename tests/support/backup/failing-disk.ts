import { dirname } from 'node:path';
import type { Disk } from '#server/backup/disk.ts';
import { localDisk } from '#server/backup/disk.ts';

/**
 * The local disk, of which one call fails, or each from one on: each change of the disk counts, and each write to a
 * file. Calls are numbered from 0.
 * @param isForGood 'full': from then on all fails that takes room, if only for a name; what is there can be removed
 */
export class FailingDisk implements Disk {
  calls = 0;
  private readonly at: number;
  private readonly fail: () => never;

  private readonly isForGood: boolean | 'full';

  constructor(at: number, fail: () => never = refuseAsFull, isForGood: boolean | 'full' = false) {
    this.at = at;
    this.fail = fail;
    this.isForGood = isForGood;
  }

  private get isFailing(): boolean {
    return this.calls === this.at + 1 || (this.isForGood !== false && this.calls > this.at);
  }

  private count(takesRoom = true): void {
    this.calls += 1;
    if (this.isFailing && (takesRoom || this.isForGood !== 'full')) this.fail();
  }

  async create(file: string) {
    this.count();
    const created = await localDisk.create(file);
    return {
      write: async (bytes: Uint8Array) => {
        this.count();
        await created.write(bytes);
      },
      close: async (isWhole: boolean) => {
        await created.close(false);
        if (isWhole) this.count();
      },
    };
  }

  async makeFolder(folder: string) {
    const calls = this.calls;
    try {
      this.count();
    } catch (error) {
      // The last room goes to the folder above.
      if (this.isForGood === 'full' && calls === this.at) await localDisk.makeFolder(dirname(folder));
      throw error;
    }
    await localDisk.makeFolder(folder);
  }

  async rename(from: string, to: string) {
    this.count();
    await localDisk.rename(from, to);
  }

  async link(from: string, to: string) {
    this.count();
    await localDisk.link(from, to);
  }

  async remove(path: string) {
    this.count(false);
    await localDisk.remove(path);
  }

  async removeEmptyFolder(folder: string) {
    this.count(false);
    await localDisk.removeEmptyFolder(folder);
  }

  /** Nobody takes the power away here. */
  async syncFolder() {
    this.count();
  }

  async list(folder: string) {
    this.count(false);
    return localDisk.list(folder);
  }
}

function refuseAsFull(): never {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });
}
