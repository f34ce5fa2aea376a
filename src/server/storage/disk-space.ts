import { statfs } from 'node:fs/promises';
import { constants } from 'node:os';

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

/** What the system calls it, by number: `SystemError` of Node brings no other name. */
const numbers = constants.errno;

/** This process, or the machine, has no descriptor left. It says nothing about the file that was to be opened. */
export function isOutOfDescriptors(error: unknown): boolean {
  return hasSystemCode(error, ['EMFILE', 'ENFILE']);
}

/** The system has nothing left of what it shares out: descriptors, memory, processes. It may have again in a moment. */
export function isSystemExhausted(error: unknown): boolean {
  return hasSystemCode(error, ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAGAIN']);
}

/** One that caused it counts as well: `fetch` wraps what the system said. */
function hasSystemCode(error: unknown, codes: readonly (keyof typeof numbers)[], depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxDepth) return false;
  const { code, errno, cause } = error as NodeJS.ErrnoException;
  if (codes.some((one) => code === one || isNumber(one, errno) || isWorkerFailure(error, code, one))) return true;
  const others = error instanceof AggregateError ? error.errors : [];
  return [cause, ...others].some((inner) => hasSystemCode(inner, codes, depth + 1));
}

const maxDepth = 3;

/** Of a failed call libuv has the negative, and `os.networkInterfaces` the plain number. */
function isNumber(code: keyof typeof numbers, errno: number | undefined): boolean {
  return typeof errno === 'number' && Math.abs(errno) === numbers[code];
}

/** A thread that could not be started has the system's code in its words alone. */
function isWorkerFailure(error: Error, code: string | undefined, systemCode: string): boolean {
  return code === 'ERR_WORKER_INIT_FAILED' && error.message.endsWith(systemCode);
}
