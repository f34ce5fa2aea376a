import { statfs } from 'node:fs/promises';

/** Bytes of the disk that a folder is on. */
export interface DiskBytes {
  /** What this user may still write. */
  free: number;
  total: number;
}

const maxReservedBytes = 1024 ** 3;
const reservedShare = 0.1;

/** What uploads and encodings leave free of a disk that the database is on as well. */
export function reservedBytes({ total }: Pick<DiskBytes, 'total'>): number {
  return Math.min(maxReservedBytes, total * reservedShare);
}

/** The disk, or what one person may have of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

const patienceMs = 1_000;
/**
 * A network disk that has died answers never, and each question that waits for it holds one of the four threads that
 * all files are read by.
 */
const maxHanging = 2;

/** How full disks are, asked in a way that no disk can hold up an answer by. */
export class DiskSpace {
  private readonly ask: (folder: string) => Promise<DiskBytes>;
  private readonly asked = new Map<string, Promise<DiskBytes | null>>();
  private readonly hanging = new Set<string>();

  /** @param ask what stands for the system's own call in tests */
  constructor(ask: (folder: string) => Promise<DiskBytes> = askSystem) {
    this.ask = ask;
  }

  /** Null when the folder is not there, and while its disk does not answer. */
  async read(folder: string): Promise<DiskBytes | null> {
    if (this.hanging.has(folder) || this.hanging.size >= maxHanging) return null;
    const answer = this.asked.get(folder) ?? this.start(folder);
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      this.hanging.add(folder);
      resolve(null);
    }, patienceMs);
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private start(folder: string): Promise<DiskBytes | null> {
    const answer = this.ask(folder)
      .catch(() => null)
      .finally(() => {
        this.asked.delete(folder);
        this.hanging.delete(folder);
      });
    this.asked.set(folder, answer);
    return answer;
  }
}

async function askSystem(folder: string): Promise<DiskBytes> {
  const { bsize, bavail, blocks } = await statfs(folder);
  return { free: bsize * bavail, total: bsize * blocks };
}
