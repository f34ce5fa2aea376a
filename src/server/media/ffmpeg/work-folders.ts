import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';

/** Private folders for programs that work on videos. */
export interface WorkFolders {
  /** Makes one for the time of some work, and removes it whatever becomes of the work. */
  use<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** Removes what processes have left behind that ended without cleaning up. */
  sweep(): Promise<void>;
}

const staleAfterMs = 24 * 3_600_000;

/** @param parent absolute; holds nothing else */
export function createWorkFolders(parent: string, clock: Clock): WorkFolders {
  // Several processes, also of several machines, may share the parent: the name tells whose a folder is.
  const host = hostname().replaceAll(/[^\w]/g, '_');
  const inUse = new Set<string>();

  async function isStale(name: string): Promise<boolean> {
    if (inUse.has(name)) return false;
    const [, owner, pid] = /^(\w+)-(\d+)-[^-]+$/.exec(name) ?? [];
    if (owner === host && (Number(pid) === process.pid || !isAlive(Number(pid)))) return true;
    const facts = await stat(join(parent, name)).catch(() => null);
    return facts !== null && clock.now() - facts.mtimeMs > staleAfterMs;
  }

  return {
    async use(work) {
      const name = `${host}-${process.pid}-${randomBytes(8).toString('hex')}`;
      const folder = join(parent, name);
      // Before it is there: a sweep at the same time takes what nobody uses.
      inUse.add(name);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        return await work(folder);
      } finally {
        inUse.delete(name);
        // What cannot be removed now, for want of descriptors perhaps, is swept at the next start.
        await rm(folder, { recursive: true, force: true }).catch(() => {});
      }
    },
    async sweep() {
      const names = await readdir(parent).catch(() => []);
      for (const name of names) if (await isStale(name)) await rm(join(parent, name), { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is somebody else's, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
