import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
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
  let sweeping = Promise.resolve();

  async function isStale(name: string): Promise<boolean> {
    if (inUse.has(name)) return false;
    const [, owner, pid] = /^(\w+)-(\d+)-[^-]+$/.exec(name) ?? [];
    if (owner === host && (Number(pid) === process.pid || !isAlive(Number(pid)))) return true;
    const facts = await stat(join(parent, name)).catch(() => null);
    return facts !== null && clock.now() - facts.mtimeMs > staleAfterMs;
  }

  async function removeStale(): Promise<void> {
    const names = await readdir(parent).catch(() => []);
    for (const name of names) if (await isStale(name)) await rm(join(parent, name), { recursive: true, force: true });
  }

  return {
    async use(work) {
      // A sweep at the same time would take the folder before it is known to be in use.
      await sweeping;
      await mkdir(parent, { recursive: true, mode: 0o700 });
      const folder = await mkdtemp(join(parent, `${host}-${process.pid}-`));
      const name = folder.slice(parent.length + 1);
      inUse.add(name);
      try {
        return await work(folder);
      } finally {
        inUse.delete(name);
        // What cannot be removed now, for want of descriptors perhaps, is swept at the next start.
        await rm(folder, { recursive: true, force: true }).catch(() => {});
      }
    },
    sweep() {
      const swept = removeStale();
      sweeping = swept.catch(() => {});
      return swept;
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
