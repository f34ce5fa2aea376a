import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';

/** Private working folders for programs that process videos. */
export interface WorkFolders {
  /** Creates a folder for some work, and removes it when the work ends or fails. */
  use<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** Removes the folders of processes that ended without cleaning up. */
  sweep(): Promise<void>;
}

const staleAfterMs = 24 * 3_600_000;

/** Counts the folders of this process, so that their names differ. */
let created = 0;

/** @param parent absolute path; contains nothing else */
export function createWorkFolders(parent: string, clock: Clock): WorkFolders {
  // Several processes, even of several machines, may share the parent. A folder's name contains its
  // owner.
  const host = hostname().replaceAll(/[^\w]/g, '_');
  const inUse = new Set<string>();

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
      // A concurrent sweep could see the folder before its creator does, so the name is marked as
      // in use beforehand.
      created += 1;
      const name = `${host}-${process.pid}-${clock.now().toString(36)}x${created.toString(36)}`;
      const folder = join(parent, name);
      inUse.add(name);
      try {
        await mkdir(parent, { recursive: true, mode: 0o700 });
        await mkdir(folder, { mode: 0o700 });
        return await work(folder);
      } finally {
        inUse.delete(name);
        // A folder that cannot be removed now, perhaps for lack of descriptors, is swept at the
        // next start.
        await rm(folder, { recursive: true, force: true }).catch(() => {});
      }
    },
    sweep: removeStale,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
